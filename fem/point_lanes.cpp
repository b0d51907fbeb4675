// What needs no material, for four cells at a time: body loads and the places of points.
#include "fem/cells/dispatch.hpp"
#include "fem/operators/cell_lanes_of.hpp"

namespace trestle::fem {
namespace {

/// det J of each cell at point q; J as in map_point.
template <int n_nodes>
Lanes jacobian_determinant(const CellView& cells, const BasicVec3<Lanes>* x, int q) {
  const double* dN = &cells.dN(q, 0, 0);
  BasicMat3<Lanes> J{};
  for (int a = 0; a < n_nodes; ++a)
    J += outer(x[a], BasicVec3<Lanes>{dN[3 * a], dN[3 * a + 1], dN[3 * a + 2]});
  if (cells.dim == 2) J(2, 2) = 1;
  return determinant(J);
}

/// Places of point q of each cell.
BasicVec3<Lanes> place_of_point(const CellView& cells, const BasicVec3<Lanes>* x, int q,
                                int n_nodes) {
  const double* N = &cells.N(q, 0);
  BasicVec3<Lanes> place{};
  for (int a = 0; a < n_nodes; ++a) place += N[a] * x[a];
  return place;
}

template <int n_nodes, int width>
void body_load(const BodyLoad& kernel) {
  const CellView& cells = kernel.cells;
  const Offset end = kernel.force.extent(0);
  const int n_points = cells.n_points();
  const bool affine = n_nodes == cells.dim + 1;  // J is the same at all points of linear simplices
  for (Offset start = 0; start < end; start += Lanes::n) {
    const LaneCells lanes(start, end);
    BasicVec3<Lanes> x[n_nodes];
    lanes.gather_places(cells, n_nodes, x);
    Lanes f[n_nodes * width] = {}, determinant = 0;
    for (int q = 0; q < n_points; ++q) {
      const double* N = &cells.N(q, 0);
      if (q == 0 || !affine) determinant = jacobian_determinant<n_nodes>(cells, x, q);
      const Lanes radius =
          cells.section.axisymmetric ? place_of_point(cells, x, q, n_nodes)[0] : 0.0;
      const Lanes dv = determinant * cells.weights(q) * cells.section.factor(radius);
      for (int d = 0; d < width; ++d) {
        const Lanes b = dv * lanes.gather([&](Offset c) { return kernel.load(c, q, d); });
        for (int a = 0; a < n_nodes; ++a) f[a * width + d] += N[a] * b;
      }
    }
    for (int l = 0; l < lanes.n(); ++l) {
      double* force = &kernel.force(start + l, 0, 0);
      for (int i = 0; i < n_nodes * width; ++i) force[i] = f[i][l];
    }
  }
}

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

void body_load_in_lanes(const BodyLoad& kernel) {
  const auto work = [&]<int n_nodes>() {
    switch (kernel.force.extent(2)) {
      case 1:
        return body_load<n_nodes, 1>(kernel);
      case 2:
        return body_load<n_nodes, 2>(kernel);
      default:
        return body_load<n_nodes, 3>(kernel);
    }
  };
  const int n_nodes = static_cast<int>(kernel.cells.nodes.extent(1));
  if (kernel.cells.dim == 2)
    Dispatch2d::call(n_nodes, work);
  else
    Dispatch3d::call(n_nodes, work);
}

void point_places_in_lanes(const PointPlaces& kernel) {
  const int n_nodes = static_cast<int>(kernel.cells.nodes.extent(1));
  if (n_nodes == 4)
    point_places(kernel, std::integral_constant<int, 4>());
  else
    point_places(kernel, n_nodes);
}

}  // namespace trestle::fem
