// The wall of a vessel in the plane of radius (x) and axis (y): half a cylinder and a spherical head;
// regular eight-node quadrangles. Millimetres.
inner = 500; outer = 550; length = 1000;
Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;

Point(1) = {inner, 0, 0}; Point(2) = {outer, 0, 0};
Point(3) = {inner, length, 0}; Point(4) = {outer, length, 0};
Point(5) = {0, length + inner, 0}; Point(6) = {0, length + outer, 0};
Point(7) = {0, length, 0};
Line(1) = {1, 2}; Line(2) = {3, 4}; Line(3) = {5, 6};
Line(4) = {1, 3}; Line(5) = {2, 4};
Circle(6) = {3, 7, 5}; Circle(7) = {4, 7, 6};
Curve Loop(1) = {1, 5, -2, -4}; Plane Surface(1) = {1};
Curve Loop(2) = {2, 7, -3, -6}; Plane Surface(2) = {2};
Transfinite Curve {1, 2, 3} = 7;
Transfinite Curve {4, 5} = 101;
Transfinite Curve {6, 7} = 81;
Transfinite Surface {1, 2};
Recombine Surface {1, 2};

Physical Surface("wall") = {1, 2};
Physical Curve("middle") = {1};
Physical Curve("axis") = {3};
Physical Curve("inside") = {4, 6};
Physical Curve("outside") = {5, 7};
