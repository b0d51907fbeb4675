// The map from reference cells and facets to space, point by point, as kernels use it.
#pragma once

#include "fem/tensor.hpp"
#include "gpu/view.hpp"

namespace trestle::fem {

/// What turns an area into a volume, and a length into an area, in two dimensions.
struct Section {
  bool axisymmetric = false;  // x is the radius, y the axis; integrals are for the full circle
  double thickness = 1;       // of plane models [m]; 1 in three dimensions

  template <class T>
  TRESTLE_KERNEL T factor(T radius) const {
    return axisymmetric ? 6.283185307179586 * radius : T(thickness);
  }
};

/// Cells of one type with the shape functions at the points of one quadrature.
struct CellView {
  gpu::View<const Index, 2> nodes;     // [cell, node]
  gpu::View<const double, 2> x;        // [local node, 3]        [m]
  gpu::View<const double, 2> N;        // [point, node]          shape functions
  gpu::View<const double, 3> dN;       // [point, node, 3]       their reference derivatives
  gpu::View<const double, 1> weights;  // [point]
  int dim = 3;
  Section section;

  TRESTLE_KERNEL int n_points() const { return static_cast<int>(weights.extent(0)); }
};

/// A shape function at a point: its gradient, its value over the radius (0 unless axisymmetric),
/// and its value. T as in tensor.hpp.
template <class T>
struct BasicShape {
  BasicVec3<T> grad;  // [1/m]
  T hoop = 0;         // N / r [1/m]
  T N = 0;
};
using Shape = BasicShape<double>;

/// A quadrature point of a cell in space.
template <int capacity, class T = double>
struct CellPoint {
  BasicShape<T> shape[capacity];
  T dv;            // weight times the volume element [m^3]; <= 0 where the cell is inverted
  BasicVec3<T> x;  // place [m]
};

/// The places of the nodes of a cell, read where they are used.
struct NodePlaces {
  const CellView& cells;
  Offset cell;
  TRESTLE_KERNEL Vec3 operator()(int a) const {
    const Index node = cells.nodes(cell, a);
    return {cells.x(node, 0), cells.x(node, 1), cells.x(node, 2)};
  }
};

/// Jacobian J = sum_a x_a (x) dN_a, grad N_a = J^-T dN_a [Hughes 2000, sec. 3.9]; plane cells get
/// J_zz = 1. `place(a)` is the place of node a. `n_nodes` is at most `capacity`; where both are the
/// same constant, loops unroll.
template <int capacity, class T, class Place>
TRESTLE_KERNEL CellPoint<capacity, T> map_point(const CellView& cells, const Place& place, int q,
                                                int n_nodes) {
  CellPoint<capacity, T> point;
  const double *N = &cells.N(q, 0), *dN = &cells.dN(q, 0, 0);
  BasicMat3<T> J{};
  point.x = BasicVec3<T>{};
  for (int a = 0; a < n_nodes; ++a) {
    const BasicVec3<T>& x = place(a);
    J += outer(x, BasicVec3<T>{dN[3 * a], dN[3 * a + 1], dN[3 * a + 2]});
    point.x += N[a] * x;
  }
  if (cells.dim == 2) J(2, 2) = 1;
  const BasicMat3<T> inverse_transposed = transpose(inverse(J));
  const T radius = point.x[0];
  point.dv = determinant(J) * cells.weights(q) * cells.section.factor(radius);
  for (int a = 0; a < n_nodes; ++a) {
    point.shape[a].grad =
        inverse_transposed * BasicVec3<T>{dN[3 * a], dN[3 * a + 1], dN[3 * a + 2]};
    point.shape[a].hoop = cells.section.axisymmetric ? N[a] / radius : T(0.0);
    point.shape[a].N = N[a];
  }
  return point;
}
template <int capacity>
TRESTLE_KERNEL CellPoint<capacity> map_point(const CellView& cells, Offset c, int q, int n_nodes) {
  return map_point<capacity, double>(cells, NodePlaces{cells, c}, q, n_nodes);
}

/// Weight times the volume element alone [m^3].
template <class T, class Place>
TRESTLE_KERNEL T volume_element(const CellView& cells, const Place& place, int q, int n_nodes) {
  const double *N = &cells.N(q, 0), *dN = &cells.dN(q, 0, 0);
  BasicMat3<T> J{};
  T radius = 0;
  for (int a = 0; a < n_nodes; ++a) {
    const BasicVec3<T>& x = place(a);
    J += outer(x, BasicVec3<T>{dN[3 * a], dN[3 * a + 1], dN[3 * a + 2]});
    radius += N[a] * x[0];
  }
  if (cells.dim == 2) J(2, 2) = 1;
  return determinant(J) * cells.weights(q) * cells.section.factor(radius);
}
TRESTLE_KERNEL inline double volume_element(const CellView& cells, Offset c, int q) {
  return volume_element<double>(cells, NodePlaces{cells, c}, q,
                                static_cast<int>(cells.nodes.extent(1)));
}

/// A quadrature point of a facet in space. The normal points out of the parent cell.
struct FacetPoint {
  Vec3 normal;  // unit
  double da;    // weight times the area element [m^2]
  Vec3 x;       // [m]
};

/// Area vector t1 x t2 of the facet's tangents (in 2D: (dy, -dx)) [Hughes 2000, sec. 3.10].
TRESTLE_KERNEL inline FacetPoint map_facet_point(const CellView& facets, Offset f, int q) {
  Vec3 t1{}, t2{}, x{};
  for (int a = 0; a < facets.nodes.extent(1); ++a) {
    const Index node = facets.nodes(f, a);
    const Vec3 xa{facets.x(node, 0), facets.x(node, 1), facets.x(node, 2)};
    t1 += facets.dN(q, a, 0) * xa;
    t2 += facets.dN(q, a, 1) * xa;
    x += facets.N(q, a) * xa;
  }
  if (facets.dim == 2) t2 = Vec3{0, 0, 1};
  const Vec3 area = cross(t1, t2);
  const double length = norm(area);
  return {area * (1 / length), length * facets.weights(q) * facets.section.factor(x[0]), x};
}

}  // namespace trestle::fem
