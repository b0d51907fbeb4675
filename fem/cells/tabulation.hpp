// Shape functions tabulated at the points of a rule, and the way from points to nodes.
#pragma once

#include <vector>

#include "fem/cells/quadrature.hpp"
#include "mesh/cell_type.hpp"

namespace trestle::fem {

/// Shape functions of a cell type at points of its reference cell.
struct Tabulation {
  mesh::CellType type;
  int n_points;
  int n_nodes;
  std::vector<double> N;        // [point, node]
  std::vector<double> dN;       // [point, node, 3]
  std::vector<double> weights;  // [point]; 0 where the points are no rule
  std::vector<double> points;   // [point, 3]
  std::vector<double> d2N;      // [point, node, 6], xx yy zz xy yz xz; empty for linear cells
};

Tabulation tabulate(mesh::CellType type, const Quadrature& rule);

/// At the cell's own nodes. A pyramid's apex has the limit along the axis (element.hpp).
Tabulation tabulate_at_nodes(mesh::CellType type);

/// The matrix [node, point] that takes values at the points of `rule` to the nodes: the
/// least-squares fit by the functions of the full type on quads, hexes, prisms and pyramids of
/// order 2, whose stress is quadratic, else by those of the linear type (the usual extrapolation
/// from 2 x 2 x 2 points), or by 1, x, y, z, or by a constant where the points are too few for
/// more. Exact for fields that are linear over the reference cell (but for a constant fit); every
/// row sums up to 1.
std::vector<double> extrapolation(mesh::CellType type, const Quadrature& rule);

}  // namespace trestle::fem
