// The section of a quarter of a hollow sphere, radii 100 and 200 mm, about the y axis; quadrangles of second order. Millimetres.
inner = 100; outer = 200; around = 12; through = 16;

Point(1) = {0, 0, 0};
Point(2) = {inner, 0, 0}; Point(3) = {outer, 0, 0}; Point(4) = {0, outer, 0}; Point(5) = {0, inner, 0};
Line(1) = {2, 3}; Circle(2) = {3, 1, 4}; Line(3) = {4, 5}; Circle(4) = {5, 1, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve {1, 3} = through + 1;
Transfinite Curve {2, 4} = around + 1;
Transfinite Surface {1};
Recombine Surface {1};
Mesh.ElementOrder = 2;

Physical Surface("wall") = {1};
Physical Curve("equator") = {1};
Physical Curve("axis") = {3};
Physical Curve("inside") = {4};
