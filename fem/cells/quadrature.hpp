// Quadrature rules on the reference cells.
#pragma once

#include <array>
#include <vector>

#include "mesh/cell_type.hpp"

namespace trestle::fem {

/// Points and weights on a reference cell of mesh/cell_type.hpp; all weights are positive, all
/// points inside, the weights sum up to the measure of the reference cell.
struct Quadrature {
  std::vector<std::array<double, 3>> points;
  std::vector<double> weights;
  int n() const { return static_cast<int>(weights.size()); }
};

/// The rule that is exact for polynomials of `degree` (>= 0): of total degree on simplices, in each
/// coordinate on lines, quads and hexes, total in (x, y) and in z on prisms, in each of x/(1-z),
/// y/(1-z) and z on pyramids, whose shape functions are polynomials in these. Lives as long as the
/// program.
const Quadrature& quadrature(mesh::CellType type, int degree);

/// The degree of full integration of a stiffness: 2 points per direction for order 1 and 3 for
/// order 2 on hexes and pyramids; prism6: 3 x 2 points; prism15, prism18: 6 x 3; tri3, tet4: 1
/// point. Where it costs little, enough for curved and skewed cells too: 4 points per direction on
/// quads, degree 6 on tri6, and degree 3 on tet10, whose constant strains are then exact on curved
/// cells.
int stiffness_degree(mesh::CellType type);
const Quadrature& stiffness_quadrature(mesh::CellType type);

/// The degree for masses, sources and loads, 2 order + 1: exact for a product of two shape
/// functions on affine cells, and one degree more for curved cells and radii. tet4, always affine
/// and never with a radius, needs no more than 2: 4 points instead of 8.
int load_degree(mesh::CellType type);
const Quadrature& load_quadrature(mesh::CellType type);

}  // namespace trestle::fem
