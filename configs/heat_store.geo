// A quarter of a cell of a heat store, millimetres: a tube of radius 10 with aluminium fins of 2 in paraffin, 60 x 60 in all.
//   gmsh -2 -format msh41 heat_store.geo
a = 30; r = 10; f = 1; d = 22;           // half of the cell, tube, half a fin, where a fin ends
h = 0.9;
s = Sqrt(r * r - f * f);
Point(1) = {0, 0, 0, h}; Point(2) = {r, 0, 0, h}; Point(3) = {s, f, 0, h}; Point(4) = {f, s, 0, h}; Point(5) = {0, r, 0, h};
Point(6) = {d, 0, 0, h}; Point(7) = {d, f, 0, h}; Point(8) = {0, d, 0, h}; Point(9) = {f, d, 0, h};
Point(10) = {a, 0, 0, h}; Point(11) = {a, a, 0, h}; Point(12) = {0, a, 0, h};
Circle(1) = {2, 1, 3}; Circle(2) = {3, 1, 4}; Circle(3) = {4, 1, 5};
Line(4) = {2, 6}; Line(5) = {6, 7}; Line(6) = {7, 3}; Line(7) = {4, 9}; Line(8) = {9, 8}; Line(9) = {8, 5};
Line(10) = {6, 10}; Line(11) = {10, 11}; Line(12) = {11, 12}; Line(13) = {12, 8};
Curve Loop(1) = {4, 5, 6, -1}; Plane Surface(1) = {1};
Curve Loop(2) = {7, 8, 9, -3}; Plane Surface(2) = {2};
Curve Loop(3) = {10, 11, 12, 13, -8, -7, -2, -6, -5}; Plane Surface(3) = {3};
Physical Curve("tube") = {1, 2, 3};
Physical Surface("fins") = {1, 2};
Physical Surface("paraffin") = {3};
