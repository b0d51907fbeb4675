#include "fem/operators/dilatation_coupling.hpp"

#include "fem/kernels/cell_kernels.hpp"
#include "fem/operators/chunks.hpp"
#include "gpu/for_each.hpp"

namespace trestle::fem {
namespace {

constexpr int most_nodes = mesh::max_nodes_per_cell;

/// The entries of a cell in the row of its node a, summed over the points.
struct CouplingSum {
  CellView cells;                // at the stiffness rule
  gpu::View<const double, 2> w;  // [cell, point]
  PlacesView places;
  MatrixView matrix;
  bool gradient;  // of N_a, else of N_b

  TRESTLE_KERNEL void add(Offset row, Offset c, int a) const {
    const int n_nodes = static_cast<int>(cells.nodes.extent(1)), dim = cells.dim;
    double sums[most_nodes * 3] = {};
    for (int q = 0; q < cells.n_points(); ++q) {
      const auto point = map_point<most_nodes>(cells, c, q, n_nodes);
      const double weight = point.dv * w(c, q);
      for (int b = 0; b < n_nodes; ++b) {
        const Shape& differentiated = point.shape[gradient ? a : b];
        const double other = weight * point.shape[gradient ? b : a].N;
        for (int d = 0; d < dim; ++d) sums[b * dim + d] += other * differentiated.grad[d];
        sums[b * dim] += other * differentiated.hoop;
      }
    }
    for (int b = 0; b < n_nodes; ++b) {
      const Offset entry = places.data() != nullptr ? matrix.entry_at(row, places(c, a, b))
                                                    : matrix.entry(row, cells.nodes(c, b));
      for (int d = 0; d < dim; ++d) matrix.values[entry * dim + d] += sums[b * dim + d];
    }
  }
};

/// The row of one owned node, over its cells in their order.
struct CouplingRow {
  CouplingSum sum;
  NodeCells around;
  TRESTLE_KERNEL void operator()(Offset row) const {
    const auto n_nodes = static_cast<Index>(sum.cells.nodes.extent(1));
    for (Offset s = around.offsets[row]; s < around.offsets[row + 1]; ++s)
      sum.add(row, around.slots[s] / n_nodes, around.slots[s] % n_nodes);
  }
};

void add_coupling(const Discretisation& discretisation, const MatrixLayout& layout,
                  const PointCoefficient& w, bool gradient, solver::RectangularMatrix& matrix) {
  const gpu::Device& device = discretisation.device();
  const solver::DevicePattern& pattern = matrix.on_device();
  const Index n_owned = matrix.pattern().map->n_owned();
  const MatrixView view{pattern.owned_offsets.view(), pattern.ghost_offsets.view(),
                        pattern.columns.view(), matrix.values().view(), n_owned};
  for (std::size_t b = 0; b < discretisation.blocks().size(); ++b) {
    const EntityBlock& block = discretisation.blocks()[b];
    const CouplingSum sum{discretisation.view(block, block.stiffness),
                          {w[b].data(), block.n_entities, block.stiffness.n_points},
                          places_of_block(layout, block, b),
                          view,
                          gradient};
    if (!scatters(device)) {
      gpu::for_each(device, block.around.n_rows(), CouplingRow{sum, block.around.view()});
      continue;
    }
    for (Offset c = 0; c < block.n_entities; ++c)
      for (int a = 0; a < block.n_nodes; ++a)
        if (const Index row = sum.cells.nodes(c, a); row < n_owned) sum.add(row, c, a);
  }
}

}  // namespace

void add_gradient_coupling(const Discretisation& discretisation, const MatrixLayout& layout,
                           const PointCoefficient& w, solver::RectangularMatrix& gradient) {
  add_coupling(discretisation, layout, w, true, gradient);
}

void add_divergence_coupling(const Discretisation& discretisation, const MatrixLayout& layout,
                             const PointCoefficient& w, solver::RectangularMatrix& divergence) {
  add_coupling(discretisation, layout, w, false, divergence);
}

}  // namespace trestle::fem
