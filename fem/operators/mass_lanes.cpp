// Masses and inertia forces for four cells at a time.
#include "fem/cells/dispatch.hpp"
#include "fem/operators/cell_lanes_of.hpp"
#include "fem/operators/mass.hpp"

namespace trestle::fem {
namespace {

/// dv c at point q of every cell, whose nodes lie at x.
Lanes weight_at(const CellView& cells, const CoefficientView& coefficient, const LaneCells& lanes,
                const BasicVec3<Lanes>* x, int q, int n_nodes) {
  const Lanes dv = volume_element<Lanes>(
      cells, [&](int a) -> const BasicVec3<Lanes>& { return x[a]; }, q, n_nodes);
  return dv * lanes.gather([&](Offset c) { return coefficient(c, q); });
}

template <int n_nodes>
void scatter_mass(const MassSum& kernel, const Lanes* M, int lane, Offset c) {
  const Index* nodes = &kernel.cells.nodes(c, 0);
  for (int a = 0; a < n_nodes; ++a)
    for (int b = 0; b < n_nodes && nodes[a] < kernel.matrix.n_owned; ++b)
      kernel.add(find_entry(kernel.matrix, nodes[a], nodes[b]),
                 M[CellBlocks<n_nodes, true>::at(std::min(a, b), std::max(a, b))][lane]);
}

template <int n_nodes>
void add_mass(const MassSum& kernel) {
  const CellView& cells = kernel.cells;
  const Offset n_cells = cells.nodes.extent(0);
  for (Offset first = 0; first < n_cells; first += Lanes::n) {
    const LaneCells lanes(first, n_cells);
    BasicVec3<Lanes> x[n_nodes];
    lanes.gather_places(cells, n_nodes, x);
    Lanes M[CellBlocks<n_nodes, true>::count] = {};
    for (int q = 0; q < cells.n_points(); ++q) {
      const double* N = &cells.N(q, 0);
      const Lanes weight = weight_at(cells, kernel.coefficient, lanes, x, q, n_nodes);
      for (int a = 0; a < n_nodes; ++a)
        for (int b = a; b < n_nodes; ++b)
          M[CellBlocks<n_nodes, true>::at(a, b)] += weight * (N[a] * N[b]);
    }
    for (int l = 0; l < lanes.n(); ++l) scatter_mass<n_nodes>(kernel, M, l, lanes[l]);
  }
}

template <int n_nodes, int width>
void inertia_force(const InertiaForce& kernel) {
  const CellView& cells = kernel.cells;
  const Offset end = kernel.first + kernel.force.extent(0);
  for (Offset start = kernel.first; start < end; start += Lanes::n) {
    const LaneCells lanes(start, end);
    BasicVec3<Lanes> x[n_nodes];
    lanes.gather_places(cells, n_nodes, x);
    Lanes acceleration[n_nodes * width], f[n_nodes * width] = {};
    gather_values<n_nodes, width>(lanes, cells, kernel.acceleration, acceleration);
    for (int q = 0; q < cells.n_points(); ++q) {
      const double* N = &cells.N(q, 0);
      const Lanes weight = weight_at(cells, kernel.coefficient, lanes, x, q, n_nodes);
      for (int d = 0; d < width; ++d) {
        Lanes here = 0;
        for (int b = 0; b < n_nodes; ++b) here += N[b] * acceleration[b * width + d];
        here *= weight;
        for (int a = 0; a < n_nodes; ++a) f[a * width + d] += N[a] * here;
      }
    }
    store_values<n_nodes, width>(lanes, f, start - kernel.first, kernel.force);
  }
}

template <class Work>
void dispatch(const CellView& cells, const Work& work) {
  const int n_nodes = static_cast<int>(cells.nodes.extent(1));
  if (cells.dim == 2)
    Dispatch2d::call(n_nodes, work);
  else
    Dispatch3d::call(n_nodes, work);
}

}  // namespace

void add_mass_in_lanes(const MassSum& kernel) {
  dispatch(kernel.cells, [&]<int n_nodes>() { add_mass<n_nodes>(kernel); });
}

void inertia_force_in_lanes(const InertiaForce& kernel) {
  dispatch(kernel.cells, [&]<int n_nodes>() {
    switch (kernel.force.extent(2)) {
      case 1:
        return inertia_force<n_nodes, 1>(kernel);
      case 2:
        return inertia_force<n_nodes, 2>(kernel);
      default:
        return inertia_force<n_nodes, 3>(kernel);
    }
  });
}

}  // namespace trestle::fem
