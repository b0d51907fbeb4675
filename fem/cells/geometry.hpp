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
  gpu::View<const double, 3> d2N;  // [point, node, 6], xx yy zz xy yz xz; empty for linear cells

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

/// A shape function whose second derivatives along x, y, z are known as well; 0 on linear cells.
template <class T>
struct BasicCurvedShape : BasicShape<T> {
  BasicVec3<T> second;  // [1/m^2]
};

/// What a material wants of shape functions at a point.
template <class Material, class T>
struct ShapeChoice {
  using Type = BasicShape<T>;
};
template <class Material, class T>
requires Material::wants_second_derivatives struct ShapeChoice<Material, T> {
  using Type = BasicCurvedShape<T>;
};
template <class Material, class T>
using ShapeFor = typename ShapeChoice<Material, T>::Type;

/// A quadrature point of a cell in space.
template <int capacity, class T = double, class S = BasicShape<T>>
struct CellPoint {
  S shape[capacity];
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

/// Second derivatives of all shape functions along x, y, z at point q, whose gradients are known:
/// with C_d = g_d g_d', g_d column d of J^-1, C_d : (d2N_a - sum_k (grad N_a)_k d2x_k), the latter
/// for the curvature of the map [Hughes 2000, sec. 3.A].
template <class T, class Place>
TRESTLE_KERNEL void map_second_derivatives(const CellView& cells, const Place& place, int q,
                                           int n_nodes, const BasicMat3<T>& inverse_transposed,
                                           BasicCurvedShape<T>* shape) {
  for (int a = 0; a < n_nodes; ++a) shape[a].second = BasicVec3<T>{};
  if (cells.d2N.data() == nullptr) return;
  T along[3][6];  // C_d, as xx yy zz 2xy 2yz 2xz
  for (int d = 0; d < 3; ++d)
    for (int i = 0; i < 3; ++i) {
      const T gi = inverse_transposed(d, i), gj = inverse_transposed(d, (i + 1) % 3);
      along[d][i] = gi * gi;
      along[d][3 + i] = 2.0 * gi * gj;
    }
  const double* d2N = &cells.d2N(q, 0, 0);
  BasicMat3<T> curvature{};  // (d, k): C_d : d2x_k
  for (int a = 0; a < n_nodes; ++a) {
    for (int d = 0; d < 3; ++d)
      for (int i = 0; i < 6; ++i) shape[a].second[d] += d2N[6 * a + i] * along[d][i];
    curvature += outer(shape[a].second, BasicVec3<T>(place(a)));
  }
  for (int a = 0; a < n_nodes; ++a) shape[a].second -= curvature * shape[a].grad;
}

/// Jacobian J = sum_a x_a (x) dN_a, grad N_a = J^-T dN_a [Hughes 2000, sec. 3.9]; plane cells get
/// J_zz = 1. `place(a)` is the place of node a. `n_nodes` is at most `capacity`; where both are the
/// same constant, loops unroll. S is the shape that a material wants.
template <int capacity, class T, class S = BasicShape<T>, class Place>
TRESTLE_KERNEL CellPoint<capacity, T, S> map_point(const CellView& cells, const Place& place, int q,
                                                   int n_nodes) {
  CellPoint<capacity, T, S> point;
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
  if constexpr (std::is_same_v<S, BasicCurvedShape<T>>)
    map_second_derivatives<T>(cells, place, q, n_nodes, inverse_transposed, point.shape);
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
