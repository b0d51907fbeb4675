// What needs no material, for four cells at a time: body loads and the places of points.
#include "fem/cell_lanes_of.hpp"

namespace trestle::fem {
namespace {
constexpr int max_nodes = 27, max_components = 3;
}

void body_load_in_lanes(const BodyLoad& kernel) {
  const CellView& cells = kernel.cells;
  const int n_nodes = static_cast<int>(cells.nodes.extent(1));
  const int width = static_cast<int>(kernel.force.extent(2));
  const Offset end = kernel.force.extent(0);
  for (Offset start = 0; start < end; start += Lanes::n) {
    const LaneCells lanes(start, end);
    BasicVec3<Lanes> x[max_nodes];
    lanes.gather_places(cells, n_nodes, x);
    Lanes f[max_nodes * max_components];
    std::fill_n(f, n_nodes * width, Lanes(0.0));
    for (int q = 0; q < cells.n_points(); ++q) {
      const Lanes dv = volume_element<Lanes>(
          cells, [&](int a) -> const BasicVec3<Lanes>& { return x[a]; }, q, n_nodes);
      for (int d = 0; d < width; ++d) {
        const Lanes b = dv * lanes.gather([&](Offset c) { return kernel.load(c, q, d); });
        for (int a = 0; a < n_nodes; ++a) f[a * width + d] += cells.N(q, a) * b;
      }
    }
    for (int l = 0; l < lanes.n(); ++l) {
      double* force = &kernel.force(start + l, 0, 0);
      for (int i = 0; i < n_nodes * width; ++i) force[i] = f[i].v[l];
    }
  }
}

void point_places_in_lanes(const PointPlaces& kernel) {
  const CellView& cells = kernel.cells;
  const int n_nodes = static_cast<int>(cells.nodes.extent(1)), n_points = cells.n_points();
  const Offset n_cells = cells.nodes.extent(0);
  for (Offset first = 0; first < n_cells; first += Lanes::n) {
    const LaneCells lanes(first, n_cells);
    BasicVec3<Lanes> x[max_nodes];
    lanes.gather_places(cells, n_nodes, x);
    for (int q = 0; q < n_points; ++q) {
      BasicVec3<Lanes> place{};
      for (int a = 0; a < n_nodes; ++a) place += cells.N(q, a) * x[a];
      for (int l = 0; l < lanes.n(); ++l) {
        double* target = &kernel.x(lanes[l] * n_points + q, 0);
        for (int d = 0; d < 3; ++d) target[d] = place[d].v[l];
      }
    }
  }
}

}  // namespace trestle::fem
