// A tuning fork: two prongs, 5 mm thick, on a bend of inner radius 5 mm and a stem; 8 mm deep. Hexahedra of second order. Millimetres.
prong = 85.9; thick = 5; deep = 8; gap = 5; stem = 35;
outer = gap + thick; neck = -Sqrt(outer^2 - thick^2 / 4); h = 2.5;

Point(1) = {0, 0, 0, h};
Point(2) = {-thick / 2, neck - stem, 0, h}; Point(3) = {thick / 2, neck - stem, 0, h};
Point(4) = {thick / 2, neck, 0, h};
Point(5) = {outer, 0, 0, h}; Point(6) = {outer, prong, 0, h}; Point(7) = {gap, prong, 0, h}; Point(8) = {gap, 0, 0, h};
Point(9) = {0, -gap, 0, h};
Point(10) = {-gap, 0, 0, h}; Point(11) = {-gap, prong, 0, h}; Point(12) = {-outer, prong, 0, h}; Point(13) = {-outer, 0, 0, h};
Point(14) = {-thick / 2, neck, 0, h};
Line(1) = {2, 3}; Line(2) = {3, 4}; Circle(3) = {4, 1, 5}; Line(4) = {5, 6}; Line(5) = {6, 7}; Line(6) = {7, 8};
Circle(7) = {8, 1, 9}; Circle(8) = {9, 1, 10}; Line(9) = {10, 11}; Line(10) = {11, 12}; Line(11) = {12, 13}; Circle(12) = {13, 1, 14}; Line(13) = {14, 2};
Curve Loop(1) = {1:13};
Plane Surface(1) = {1};
Recombine Surface {1};
body[] = Extrude {0, 0, deep} { Surface{1}; Layers{3}; Recombine; };
Mesh.RecombinationAlgorithm = 2; Mesh.ElementOrder = 2; Mesh.SecondOrderIncomplete = 1;

Physical Volume("fork") = {body[1]};
Physical Surface("stem_end") = {body[2]};
