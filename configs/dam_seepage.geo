// The ground below a dam, metres: a layer of 20 m on rock, the base of the dam 20 m wide on it.
//   gmsh -2 -format msh41 dam_seepage.geo
T = 20; b = 10; L = 70;
h = 4; fine = 0.4;
Point(1) = {-L, -T, 0, h}; Point(2) = {L, -T, 0, h};
Point(3) = {L, 0, 0, h};   Point(4) = {b, 0, 0, fine};
Point(5) = {-b, 0, 0, fine}; Point(6) = {-L, 0, 0, h};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 1};
Curve Loop(1) = {1:6};
Plane Surface(1) = {1};
Physical Curve("downstream") = {3};
Physical Curve("base") = {4};
Physical Curve("upstream") = {5};
Physical Surface("ground") = {1};
