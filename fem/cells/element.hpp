// Shape functions of every cell type on its reference cell.
#pragma once

#include "mesh/cell_type.hpp"

namespace trestle::fem {

/// Shape functions of a cell type at a reference point: N [node], and their derivatives by the
/// reference coordinates, dN [node, 3] (0 for the directions that the cell has not). Nodes in the
/// order of mesh/cell_type.hpp. Either output may be null.
///
/// Spaces: P on simplices, Q on quad4, quad9, hex8, hex27, P x P on prism6 and prism18; serendipity
/// on quad8, hex20 (at most one square in a monomial [Arnold and Awanou 2011]) and prism15;
/// rational on pyramids: the span of x^i y^j (1-z)^(k-i-j) with max(i, j) <= k <= order [Bergot,
/// Cohen, Durufle 2010], without x^2 y^2 / (1-z)^2 for pyramid13, which gives the functions of
/// [Bedrosian 1992]. All of them contain the polynomials of their order and meet their neighbours
/// without a jump.
/// At a pyramid's apex, where derivatives depend on the direction, they are the limit along the
/// axis from below.
void shape_functions(mesh::CellType type, const double xi[3], double* N, double* dN);

/// Their second derivatives by the reference coordinates, d2N [node, 6], xx yy zz xy yz xz. Not for
/// a pyramid's apex.
void second_derivatives(mesh::CellType type, const double xi[3], double* d2N);

}  // namespace trestle::fem
