// A tube with water in it, axisymmetric (x is the radius), millimetres: radius 5, wall 1, length 1000.
//   gmsh -2 -format msh41 heat_exchanger_tube.geo
r = 5; w = 1; L = 1000;
Point(1) = {0, 0, 0}; Point(2) = {r, 0, 0}; Point(3) = {r + w, 0, 0};
Point(4) = {0, L, 0}; Point(5) = {r, L, 0}; Point(6) = {r + w, L, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {4, 5}; Line(4) = {5, 6};
Line(5) = {1, 4}; Line(6) = {2, 5}; Line(7) = {3, 6};
Curve Loop(1) = {1, 6, -3, -5}; Plane Surface(1) = {1};
Curve Loop(2) = {2, 7, -4, -6}; Plane Surface(2) = {2};
Transfinite Curve {1, 3} = 13 Using Progression 1; Transfinite Curve {2, 4} = 4; Transfinite Curve {5, 6, 7} = 101;
Transfinite Surface {1, 2}; Recombine Surface {1, 2};
Physical Curve("inlet") = {1};
Physical Curve("outlet") = {3};
Physical Curve("outside") = {7};
Physical Surface("water") = {1};
Physical Surface("wall") = {2};
