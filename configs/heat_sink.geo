// A plate of 60 mm x 60 mm x 5 mm with nine fins, 2 mm thick and 25 mm high, and the footprint of a chip
// of 20 mm x 20 mm under it; second order tetrahedra. Millimetres.
SetFactory("OpenCASCADE");
Mesh.MeshSizeMax = 2.4;
Mesh.ElementOrder = 2;

side = 60; plate = 5; n_fins = 9; fin = 2; height = 25; chip = 20;
pitch = (side - fin) / (n_fins - 1);

Box(1) = {0, 0, 0, side, side, plate};
fins() = {};
For i In {0 : n_fins - 1}
  Box(10 + i) = {i * pitch, 0, plate, fin, side, height};
  fins() += {10 + i};
EndFor
body() = BooleanUnion{ Volume{1}; Delete; }{ Volume{fins()}; Delete; };
Rectangle(1000) = {(side - chip) / 2, (side - chip) / 2, 0, chip, chip};
whole() = BooleanFragments{ Volume{body()}; Delete; }{ Surface{1000}; Delete; };

e = 1e-3;
chip_face() = Surface In BoundingBox
  {(side - chip) / 2 - e, (side - chip) / 2 - e, -e, (side + chip) / 2 + e, (side + chip) / 2 + e, e};
air() = Abs(Boundary{ Volume{body()}; });
air() -= chip_face();

Physical Volume("body") = {body()};
Physical Surface("chip") = {chip_face()};
Physical Surface("air") = {air()};
