// A quarter of a square plate, 400 mm wide, with a hole of radius 10 mm; second order triangles. Millimetres.
radius = 10; half = 200;
Mesh.ElementOrder = 2;

Point(1) = {0, 0, 0};
Point(2) = {radius, 0, 0, 0.8}; Point(3) = {half, 0, 0, 12};
Point(4) = {half, half, 0, 12}; Point(5) = {0, half, 0, 12};
Point(6) = {0, radius, 0, 0.8};
Line(1) = {2, 3}; Line(2) = {3, 4}; Line(3) = {4, 5}; Line(4) = {5, 6};
Circle(5) = {6, 1, 2};
Curve Loop(1) = {1, 2, 3, 4, 5};
Plane Surface(1) = {1};

Physical Surface("plate") = {1};
Physical Curve("bottom") = {1};
Physical Curve("right") = {2};
Physical Curve("left") = {4};
Physical Curve("hole") = {5};
