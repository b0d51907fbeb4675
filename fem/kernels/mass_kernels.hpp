// The kernels of masses: rows of the matrix, lumped masses and inertia forces of cells.
#pragma once

#include "fem/kernels/cell_kernels.hpp"

namespace trestle::fem {

/// A coefficient (density, heat capacity per volume ...) at the points of the load rule.
struct CoefficientView {
  gpu::View<const Index, 1> material;  // [cell]
  gpu::View<const double, 1> table;    // [material]
  gpu::View<const double, 2> field;    // [cell, point], or empty: the table holds

  TRESTLE_KERNEL double operator()(Offset c, int q) const {
    return field.data() != nullptr ? field(c, q) : table[material[c]];
  }
};

/// matrix += factor M, M_ab = sum_q dv c N_a N_b times the identity of the block.
struct MassSum {
  CellView cells;  // at the load rule
  CoefficientView coefficient;
  MatrixView matrix;
  int n_components;
  double factor;

  /// Adds `mass` to the diagonal of the block of an entry.
  TRESTLE_KERNEL void add(Offset entry, double mass) const {
    double* block = &matrix.values[entry * n_components * n_components];
    for (int d = 0; d < n_components; ++d) block[d * (n_components + 1)] += factor * mass;
  }
};

/// The row of one owned node of a MassSum, over its cells in their order.
template <int n_nodes>
struct MassRow {
  MassSum sum;
  NodeCells around;
  PlacesView places;

  TRESTLE_KERNEL void operator()(Offset row) const {
    for (Offset s = around.offsets[row]; s < around.offsets[row + 1]; ++s)
      add_cell(row, around.slots[s] / n_nodes, around.slots[s] % n_nodes);
  }

 private:
  TRESTLE_KERNEL void add_cell(Offset row, Index c, int a) const {
    const CellView& cells = sum.cells;
    double mass[n_nodes] = {};
    for (int q = 0; q < cells.n_points(); ++q) {
      const double weight =
          volume_element<double>(cells, NodePlaces{cells, c}, q, n_nodes) * sum.coefficient(c, q);
      for (int b = 0; b < n_nodes; ++b) mass[b] += weight * (cells.N(q, a) * cells.N(q, b));
    }
    for (int b = 0; b < n_nodes; ++b) sum.add(sum.matrix.entry_at(row, places(c, a, b)), mass[b]);
  }
};

/// Inertia force of each cell of a chunk, f_a = sum_q dv c N_a (sum_b N_b a_b).
struct InertiaForce {
  CellView cells;  // at the load rule
  CoefficientView coefficient;
  gpu::View<const double, 2> acceleration;  // [local node, component]
  gpu::View<double, 3> force;               // [cell of the chunk, node, component]
  Offset first = 0;                         // cell of the chunk's first entry

  TRESTLE_KERNEL void operator()(Offset i) const {
    const Offset c = first + i, n_nodes = cells.nodes.extent(1);
    for (Offset a = 0; a < n_nodes; ++a)
      for (int d = 0; d < force.extent(2); ++d) force(i, a, d) = 0;
    for (int q = 0; q < cells.n_points(); ++q) {
      const double weight = volume_element(cells, c, q) * coefficient(c, q);
      for (int d = 0; d < force.extent(2); ++d) {
        double here = 0;
        for (Offset b = 0; b < n_nodes; ++b)
          here += cells.N(q, b) * acceleration(cells.nodes(c, b), d);
        for (Offset a = 0; a < n_nodes; ++a) force(i, a, d) += weight * here * cells.N(q, a);
      }
    }
  }
};

/// Lumped masses of each cell of a chunk, positive, their sum the mass of the cell: the row sums of
/// M, which are positive for linear shape functions, or its diagonal scaled to the mass of the cell
/// [Hinton, Rock and Zienkiewicz 1976; Hughes 2000, sec. 7.3.2].
struct LumpedMass {
  CellView cells;  // at the load rule
  CoefficientView coefficient;
  bool scaled_diagonal;
  gpu::View<double, 3> mass;  // [cell of the chunk, node, 1]
  Offset first = 0;           // cell of the chunk's first entry

  TRESTLE_KERNEL void operator()(Offset i) const {
    const Offset c = first + i, n_nodes = cells.nodes.extent(1);
    double total = 0, trace = 0;
    for (Offset a = 0; a < n_nodes; ++a) mass(i, a, 0) = 0;
    for (int q = 0; q < cells.n_points(); ++q) {
      const double weight = volume_element(cells, c, q) * coefficient(c, q);
      total += weight;
      for (Offset a = 0; a < n_nodes; ++a)
        mass(i, a, 0) += weight * cells.N(q, a) * (scaled_diagonal ? cells.N(q, a) : 1.0);
    }
    if (!scaled_diagonal) return;
    for (Offset a = 0; a < n_nodes; ++a) trace += mass(i, a, 0);
    for (Offset a = 0; a < n_nodes; ++a) mass(i, a, 0) *= total / trace;
  }
};

/// to[node, component] = from[node] for every component.
struct RepeatNode {
  gpu::View<const double, 1> from;
  gpu::View<double, 1> to;
  int n_components;
  TRESTLE_KERNEL void operator()(Offset node) const {
    for (int d = 0; d < n_components; ++d) to[node * n_components + d] = from[node];
  }
};

/// K_ii += factor m_i on the diagonal of the matrix.
struct LumpedMassRow {
  gpu::View<const double, 1> lumped;  // [owned node, component]
  double factor;
  int n_components;
  MatrixView matrix;
  TRESTLE_KERNEL void operator()(Offset row) const {
    double* block =
        &matrix.values[matrix.entry(row, static_cast<Index>(row)) * n_components * n_components];
    for (int d = 0; d < n_components; ++d)
      block[d * n_components + d] += factor * lumped[row * n_components + d];
  }
};

/// sum_i += factor m_i a_i.
struct LumpedInertia {
  gpu::View<const double, 1> lumped, acceleration;
  double factor;
  gpu::View<double, 1> sum;
  TRESTLE_KERNEL void operator()(Offset i) const { sum[i] += factor * lumped[i] * acceleration[i]; }
};

}  // namespace trestle::fem
