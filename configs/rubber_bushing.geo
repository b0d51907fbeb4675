// The rubber of a bushing between a pin of radius 10 mm and a shell of radius 25 mm; quadrangles of second order. Millimetres.
pin = 10; shell = 25; around = 12; across = 10;

Point(1) = {0, 0, 0};
For k In {0:3}
  Point(10 + k) = {pin * Cos(k * Pi / 2), pin * Sin(k * Pi / 2), 0};
  Point(20 + k) = {shell * Cos(k * Pi / 2), shell * Sin(k * Pi / 2), 0};
EndFor
For k In {0:3}
  Circle(10 + k) = {10 + k, 1, 10 + (k + 1) % 4};
  Circle(20 + k) = {20 + k, 1, 20 + (k + 1) % 4};
  Line(30 + k) = {10 + k, 20 + k};
EndFor
For k In {0:3}
  Curve Loop(k + 1) = {30 + k, 20 + k, -(30 + (k + 1) % 4), -(10 + k)};
  Plane Surface(k + 1) = {k + 1};
EndFor
Transfinite Curve {10:13, 20:23} = around + 1;
Transfinite Curve {30:33} = across + 1 Using Progression 1.1;
Transfinite Surface {1:4};
Recombine Surface {1:4};
Mesh.ElementOrder = 2;

Physical Surface("rubber") = {1:4};
Physical Curve("pin") = {10:13};
Physical Curve("shell") = {20:23};
