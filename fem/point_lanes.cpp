// The places of points, for four cells at a time.
#include "fem/cells/dispatch.hpp"
#include "fem/operators/cell_lanes_of.hpp"

namespace trestle::fem {
namespace {

/// `n_nodes` is an int, or a constant for which loops unroll.
template <class Count>
void point_places(const PointPlaces& kernel, Count n_nodes) {
  constexpr int max_nodes = 27;
  const CellView& cells = kernel.cells;
  const int n_points = cells.n_points();
  const Offset n_cells = cells.nodes.extent(0);
  for (Offset first = 0; first < n_cells; first += Lanes::n) {
    const LaneCells lanes(first, n_cells);
    BasicVec3<Lanes> x[max_nodes];
    lanes.gather_places(cells, n_nodes, x);
    for (int q = 0; q < n_points; ++q) {
      const BasicVec3<Lanes> place = place_of_point(cells, x, q, n_nodes);
      for (int l = 0; l < lanes.n(); ++l) {
        double* target = &kernel.x(lanes[l] * n_points + q, 0);
        for (int d = 0; d < 3; ++d) target[d] = place[d][l];
      }
    }
  }
}

}  // namespace

void point_places_in_lanes(const PointPlaces& kernel) {
  const int n_nodes = static_cast<int>(kernel.cells.nodes.extent(1));
  if (n_nodes == 4)
    point_places(kernel, std::integral_constant<int, 4>());
  else
    point_places(kernel, n_nodes);
}

}  // namespace trestle::fem
