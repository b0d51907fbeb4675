// A bracket with two bolt holes, a lug hole, a fillet in the corner and a rounded top. Millimetres.
SetFactory("OpenCASCADE");
Mesh.MeshSizeMax = 3.3;
Mesh.MeshSizeFromCurvature = 20; // elements on a full circle
Mesh.ElementOrder = 2;
Mesh.HighOrderOptimize = 2;

width = 60; base = 80; height = 80; plate = 10;
fillet = 12; corner = 18;
bolt = 5; lug = 9;

// The body: a base plate and an upright, joined, with the inner edge filleted and the top rounded.
Box(1) = {0, 0, 0, base, width, plate};
Box(2) = {0, 0, 0, plate, width, height};
BooleanUnion(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
e = 1e-3;
inner() = Curve In BoundingBox {plate - e, -e, plate - e, plate + e, width + e, plate + e};
top() = Curve In BoundingBox {-e, -e, height - e, plate + e, e, height + e};
top() += Curve In BoundingBox {-e, width - e, height - e, plate + e, width + e, height + e};
body() = Fillet{3}{ inner(0), top(0), top(1) }{ fillet, corner, corner };

Cylinder(11) = {base - 22, 15, -1, 0, 0, plate + 2, bolt};
Cylinder(12) = {base - 22, width - 15, -1, 0, 0, plate + 2, bolt};
Cylinder(13) = {-1, width / 2, height - 22, plate + 2, 0, 0, lug};
BooleanDifference(20) = { Volume{body()}; Delete; }{ Volume{11, 12, 13}; Delete; };

Physical Volume("body") = {20};
Physical Surface("foot") = Surface In BoundingBox {-e, -e, -e, base + e, width + e, e};
Physical Surface("bolts") = Surface In BoundingBox
  {base - 22 - bolt - e, -e, -e, base - 22 + bolt + e, width + e, plate + e};
Physical Surface("lug") = Surface In BoundingBox
  {-e, width / 2 - lug - e, height - 22 - lug - e, plate + e, width / 2 + lug + e, height - 22 + lug + e};
