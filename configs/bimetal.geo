// Two layers of 1 mm on a length of 100 mm, regular eight-node quadrangles. Millimetres.
length = 100; layer = 1;
Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;

Point(1) = {0, 0, 0}; Point(2) = {length, 0, 0};
Point(3) = {0, layer, 0}; Point(4) = {length, layer, 0};
Point(5) = {0, 2 * layer, 0}; Point(6) = {length, 2 * layer, 0};
Line(1) = {1, 2}; Line(2) = {3, 4}; Line(3) = {5, 6};
Line(4) = {1, 3}; Line(5) = {3, 5}; Line(6) = {2, 4}; Line(7) = {4, 6};
Curve Loop(1) = {1, 6, -2, -4}; Plane Surface(1) = {1};
Curve Loop(2) = {2, 7, -3, -5}; Plane Surface(2) = {2};
Transfinite Curve {1, 2, 3} = 26;
Transfinite Curve {4, 5, 6, 7} = 2;
Transfinite Surface {1, 2};
Recombine Surface {1, 2};

Physical Surface("lower") = {1};
Physical Surface("upper") = {2};
Physical Curve("clamp") = {4, 5};
