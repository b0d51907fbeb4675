// The map from reference cells and facets to space, point by point, as kernels use it.
#pragma once

#include "fem/tensor.hpp"
#include "gpu/view.hpp"

namespace trestle::fem {

/// What turns an area into a volume, and a length into an area, in two dimensions.
struct Section {
  bool axisymmetric = false;  // x is the radius, y the axis; integrals are for the full circle
  double thickness = 1;       // of plane models [m]; 1 in three dimensions

  TRESTLE_KERNEL double factor(double radius) const {
    return axisymmetric ? 6.283185307179586 * radius : thickness;
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

/// A shape function at a point: its gradient, and its value over the radius (0 unless
/// axisymmetric).
struct Shape {
  Vec3 grad;        // [1/m]
  double hoop = 0;  // N / r [1/m]
};

/// A quadrature point of a cell in space.
template <int capacity>
struct CellPoint {
  Shape shape[capacity];
  double dv;  // weight times the volume element [m^3]; <= 0 where the cell is inverted
  Vec3 x;     // place [m]
};

/// Jacobian J = sum_a x_a (x) dN_a, grad N_a = J^-T dN_a [Hughes 2000, sec. 3.9]; plane cells get
/// J_zz = 1. `n_nodes` is at most `capacity`; where both are the same constant, loops unroll.
template <int capacity>
TRESTLE_KERNEL CellPoint<capacity> map_point(const CellView& cells, Offset c, int q, int n_nodes) {
  CellPoint<capacity> point;
  Mat3 J{};
  point.x = Vec3{};
  for (int a = 0; a < n_nodes; ++a) {
    const Index node = cells.nodes(c, a);
    const Vec3 x{cells.x(node, 0), cells.x(node, 1), cells.x(node, 2)};
    const Vec3 dN{cells.dN(q, a, 0), cells.dN(q, a, 1), cells.dN(q, a, 2)};
    J += outer(x, dN);
    point.x += cells.N(q, a) * x;
  }
  if (cells.dim == 2) J(2, 2) = 1;
  const Mat3 inverse_transposed = transpose(inverse(J));
  const double radius = point.x[0];
  point.dv = determinant(J) * cells.weights(q) * cells.section.factor(radius);
  for (int a = 0; a < n_nodes; ++a) {
    const Vec3 dN{cells.dN(q, a, 0), cells.dN(q, a, 1), cells.dN(q, a, 2)};
    point.shape[a].grad = inverse_transposed * dN;
    point.shape[a].hoop = cells.section.axisymmetric ? cells.N(q, a) / radius : 0.0;
  }
  return point;
}

/// Weight times the volume element alone [m^3].
TRESTLE_KERNEL inline double volume_element(const CellView& cells, Offset c, int q) {
  Mat3 J{};
  double radius = 0;
  for (int a = 0; a < cells.nodes.extent(1); ++a) {
    const Index node = cells.nodes(c, a);
    J += outer(Vec3{cells.x(node, 0), cells.x(node, 1), cells.x(node, 2)},
               Vec3{cells.dN(q, a, 0), cells.dN(q, a, 1), cells.dN(q, a, 2)});
    radius += cells.N(q, a) * cells.x(node, 0);
  }
  if (cells.dim == 2) J(2, 2) = 1;
  return determinant(J) * cells.weights(q) * cells.section.factor(radius);
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
