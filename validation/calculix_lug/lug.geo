// A lug: a plate with a hole, and a foot.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 0.08, 0.04, 0.01};
Box(2) = {0, 0, 0, 0.01, 0.04, 0.04};
Cylinder(3) = {0.055, 0.02, -0.01, 0, 0, 0.03, 0.01};
BooleanUnion(4) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
BooleanDifference(5) = { Volume{4}; Delete; }{ Volume{3}; Delete; };
e = 1e-6;
Physical Volume("BODY") = {5};
Physical Surface("FOOT") = Surface In BoundingBox {-e, -e, -e, e, 0.04+e, 0.04+e};
Physical Surface("BORE") = Surface In BoundingBox {0.045-e, 0.01-e, -e, 0.065+e, 0.03+e, 0.01+e};
Physical Surface("SKIN") = Surface In BoundingBox {0.08-e, -e, -e, 0.08+e, 0.04+e, 0.01+e};
Mesh.ElementOrder = 2;
Mesh.SecondOrderLinear = 1;
Mesh.MeshSizeMax = 0.02;
Mesh.MeshSizeFromCurvature = 6;
