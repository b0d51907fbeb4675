// A quarter of an exhaust flange: a round plate with a bolt hole and the stub of a pipe, filleted. Millimetres.
SetFactory("OpenCASCADE");
Mesh.MeshSizeMax = 4;
Mesh.MeshSizeFromCurvature = 20; // elements on a full circle
Mesh.ElementOrder = 2;
Mesh.HighOrderOptimize = 2;

inner = 26; outer = 30; rim = 56; plate = 12; height = 60;
fillet = 6; bolt = 4.5; circle = 45;

Cylinder(1) = {0, 0, 0, 0, 0, plate, rim};
Cylinder(2) = {0, 0, 0, 0, 0, height, outer};
BooleanUnion(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
e = 1e-3;
corner() = Curve In BoundingBox {-outer - e, -outer - e, plate - e, outer + e, outer + e, plate + e};
body() = Fillet{3}{ corner() }{ fillet };
Cylinder(11) = {0, 0, -1, 0, 0, height + 2, inner};
Cylinder(12) = {circle * Cos(Pi / 4), circle * Sin(Pi / 4), -1, 0, 0, plate + 2, bolt};
BooleanDifference(20) = { Volume{body()}; Delete; }{ Volume{11, 12}; Delete; };
Box(13) = {0, 0, -1, rim + 1, rim + 1, height + 2};
BooleanIntersection(30) = { Volume{20}; Delete; }{ Volume{13}; Delete; };

face() = Surface In BoundingBox {-e, -e, -e, rim + e, rim + e, e};
x0() = Surface In BoundingBox {-e, -e, -e, e, rim + e, height + e};
y0() = Surface In BoundingBox {-e, -e, -e, rim + e, e, height + e};
gas() = Surface In BoundingBox {-e, -e, -e, inner + e, inner + e, height + e};
end() = Surface In BoundingBox {-e, -e, height - e, outer + e, outer + e, height + e};
bolt_x = circle * Cos(Pi / 4);
hole() = Surface In BoundingBox {bolt_x - bolt - e, bolt_x - bolt - e, -e, bolt_x + bolt + e, bolt_x + bolt + e, plate + e};
air() = Abs(Boundary{ Volume{30}; });
air() -= {face(), x0(), y0(), gas(), end(), hole()};

Physical Volume("body") = {30};
Physical Surface("face") = face();
Physical Surface("x0") = x0();
Physical Surface("y0") = y0();
Physical Surface("gas") = gas();
Physical Surface("air") = air();
