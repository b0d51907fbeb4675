// The kernels over facets: loads per area, and exchange of heat with its tangent.
#pragma once

#include "fem/kernels/cell_kernels.hpp"

namespace trestle::fem {

/// Load per area of each facet, f_a = sum_q da N_a t; a load of one component on a field of several
/// acts as a pressure, t = -p n.
struct FacetLoad {
  CellView facets;
  gpu::View<const double, 3> load;  // [facet, point, component]
  gpu::View<double, 3> force;       // [facet of the chunk, node, component of the field]
  Offset first = 0;

  TRESTLE_KERNEL void operator()(Offset i) const {
    const Offset f = first + i, n_nodes = facets.nodes.extent(1);
    const int width = static_cast<int>(force.extent(2));
    const bool pressure = width > 1 && load.extent(2) == 1;
    for (Offset a = 0; a < n_nodes; ++a)
      for (int d = 0; d < width; ++d) force(i, a, d) = 0;
    for (int q = 0; q < facets.n_points(); ++q) {
      const FacetPoint point = map_facet_point(facets, f, q);
      for (Offset a = 0; a < n_nodes; ++a)
        for (int d = 0; d < width; ++d)
          force(i, a, d) += point.da * facets.N(q, a) *
                            (pressure ? -load(f, q, 0) * point.normal[d] : load(f, q, d));
    }
  }
};

/// Point q of a facet whose nodes are displaced by u: the area vector t1 x t2 dA in deformed
/// places, its tangents and its radius.
struct DeformedFacetPoint {
  Vec3 t1, t2;
  Vec3 area;      // t1 x t2 times weight and section [m^2]
  double weight;  // of the point times section
  double radius;
};
TRESTLE_KERNEL inline DeformedFacetPoint map_deformed_facet_point(const CellView& facets,
                                                                  gpu::View<const double, 2> u,
                                                                  Offset f, int q) {
  DeformedFacetPoint point{};
  for (Offset a = 0; a < facets.nodes.extent(1); ++a) {
    const Index node = facets.nodes(f, a);
    Vec3 x{facets.x(node, 0), facets.x(node, 1), facets.x(node, 2)};
    for (int d = 0; d < u.extent(1); ++d) x[d] += u(node, d);
    point.t1 += facets.dN(q, a, 0) * x;
    point.t2 += facets.dN(q, a, 1) * x;
    point.radius += facets.N(q, a) * x[0];
  }
  if (facets.dim == 2) point.t2 = Vec3{0, 0, 1};
  point.weight = facets.weights(q) * facets.section.factor(point.radius);
  point.area = point.weight * cross(point.t1, point.t2);
  return point;
}

/// Force of a pressure p that follows the surface, f_a = -int p n N_a over the deformed facet
/// [Bonet and Wood 2008, sec. 8.5].
struct FollowerLoad {
  CellView facets;
  gpu::View<const double, 3> load;  // [facet, point, 1] p [Pa]
  gpu::View<const double, 2> u;     // [local node, component]
  gpu::View<double, 3> force;       // [facet of the chunk, node, component]
  Offset first = 0;

  TRESTLE_KERNEL void operator()(Offset i) const {
    const Offset f = first + i, n_nodes = facets.nodes.extent(1);
    const int width = static_cast<int>(force.extent(2));
    for (Offset a = 0; a < n_nodes; ++a)
      for (int d = 0; d < width; ++d) force(i, a, d) = 0;
    for (int q = 0; q < facets.n_points(); ++q) {
      const Vec3 area = map_deformed_facet_point(facets, u, f, q).area;
      for (Offset a = 0; a < n_nodes; ++a)
        for (int d = 0; d < width; ++d) force(i, a, d) -= load(f, q, 0) * facets.N(q, a) * area[d];
    }
  }
};

/// Minus the derivative of that by u_b for the row of one owned node: p N_a d(t1 x t2)/du_b, which
/// is not symmetric; with v = dN_b/d1 t2 - dN_b/d2 t1 its entries are eps_ijk v_k.
struct FollowerRow {
  CellView facets;
  gpu::View<const double, 3> load;  // [facet, point, 1]
  gpu::View<const double, 2> u;
  double factor;      // of the load
  NodeCells around;   // slots facet * n_nodes + node
  MatrixView matrix;  // of u.extent(1) components

  TRESTLE_KERNEL void operator()(Offset row) const {
    const int n_nodes = static_cast<int>(facets.nodes.extent(1));
    for (Offset s = around.offsets[row]; s < around.offsets[row + 1]; ++s)
      add(row, around.slots[s] / n_nodes, around.slots[s] % n_nodes);
  }
  /// The part of facet f, whose node a is the row's.
  TRESTLE_KERNEL void add(Offset row, Offset f, int a) const {
    const int n_nodes = static_cast<int>(facets.nodes.extent(1));
    const int width = static_cast<int>(u.extent(1));
    for (int b = 0; b < n_nodes; ++b) {
      Mat3 K{};
      for (int q = 0; q < facets.n_points(); ++q) add_point(K, f, q, a, b);
      const Offset entry = matrix.entry(row, facets.nodes(f, b)) * width * width;
      for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j) matrix.values[entry + i * width + j] += K(i, j);
    }
  }

 private:
  TRESTLE_KERNEL void add_point(Mat3& K, Offset f, int q, int a, int b) const {
    const DeformedFacetPoint point = map_deformed_facet_point(facets, u, f, q);
    const double p = factor * load(f, q, 0) * facets.N(q, a);
    const Vec3 v =
        p * point.weight * (facets.dN(q, b, 0) * point.t2 - facets.dN(q, b, 1) * point.t1);
    K += Mat3{{{0, v[2], -v[1]}, {-v[2], 0, v[0]}, {v[1], -v[0], 0}}};
    if (!facets.section.axisymmetric) return;
    for (int i = 0; i < 2; ++i)  // of the circle that the point makes
      K(i, 0) += p * facets.N(q, b) / point.radius * point.area[i];
  }
};

/// How a surface exchanges heat with its surroundings, from a coefficient and their temperature.
enum class Exchange {
  convection,  // coefficient h [W/(m^2 K)]:  h (T_ambient - T)
  radiation    // emissivity:  emissivity sigma (T_ambient^4 - T^4), absolute temperatures
};

/// Stefan-Boltzmann constant [W/(m^2 K^4)], exact since the SI of 2019.
inline constexpr double stefan_boltzmann = 5.670374419e-8;

/// Heat flow into the body [W/m^2]. Where iterates are below absolute zero, radiation goes on as an
/// odd function of T: it has one solution then, and that is above.
TRESTLE_KERNEL inline double exchange_flux(Exchange kind, double coefficient, double ambient,
                                           double T) {
  if (kind == Exchange::convection) return coefficient * (ambient - T);
  const double a2 = ambient * ambient, t2 = T * T;
  if (T < 0) return coefficient * stefan_boltzmann * (a2 * a2 + t2 * t2);
  return coefficient * stefan_boltzmann * (a2 + t2) * (ambient + T) * (ambient - T);
}
/// - d exchange_flux / dT [W/(m^2 K)].
TRESTLE_KERNEL inline double exchange_slope(Exchange kind, double coefficient, double T) {
  if (kind == Exchange::convection) return coefficient;
  return 4 * coefficient * stefan_boltzmann * T * T * fabs(T);
}

/// Value of a scalar field at point q of a facet.
TRESTLE_KERNEL inline double value_at_point(const CellView& facets, gpu::View<const double, 2> u,
                                            Offset f, int q) {
  double value = 0;
  for (Offset a = 0; a < facets.nodes.extent(1); ++a)
    value += facets.N(q, a) * u(facets.nodes(f, a), 0);
  return value;
}

/// Heat from the surroundings into each facet, f_a = sum_q da N_a flux.
struct ExchangeLoad {
  Exchange kind;
  CellView facets;
  gpu::View<const double, 3> load;  // [facet, point, 2]: coefficient, T_ambient [K]
  gpu::View<const double, 2> u;     // [local node, 1] temperature [K]
  gpu::View<double, 3> force;       // [facet of the chunk, node, 1] [W]
  Offset first = 0;

  TRESTLE_KERNEL void operator()(Offset i) const {
    const Offset f = first + i, n_nodes = facets.nodes.extent(1);
    for (Offset a = 0; a < n_nodes; ++a) force(i, a, 0) = 0;
    for (int q = 0; q < facets.n_points(); ++q) {
      const double da = map_facet_point(facets, f, q).da;
      const double flux =
          exchange_flux(kind, load(f, q, 0), load(f, q, 1), value_at_point(facets, u, f, q));
      for (Offset a = 0; a < n_nodes; ++a) force(i, a, 0) += da * facets.N(q, a) * flux;
    }
  }
};

/// K_ab += sum_q da slope N_a N_b for the row of one owned node, over the facets around it in their
/// order.
struct ExchangeRow {
  Exchange kind;
  CellView facets;
  gpu::View<const double, 3> load;  // [facet, point, 2]
  gpu::View<const double, 2> u;     // [local node, 1] temperature [K]
  NodeCells around;                 // slots facet * n_nodes + node
  MatrixView matrix;                // of one component

  TRESTLE_KERNEL void operator()(Offset row) const {
    const int n_nodes = static_cast<int>(facets.nodes.extent(1));
    for (Offset s = around.offsets[row]; s < around.offsets[row + 1]; ++s)
      add(row, around.slots[s] / n_nodes, around.slots[s] % n_nodes);
  }
  /// The part of facet f, whose node a is the row's.
  TRESTLE_KERNEL void add(Offset row, Offset f, int a) const {
    const int n_nodes = static_cast<int>(facets.nodes.extent(1));
    double blocks[9] = {};
    for (int q = 0; q < facets.n_points(); ++q) {
      const double da = map_facet_point(facets, f, q).da;
      const double slope = exchange_slope(kind, load(f, q, 0), value_at_point(facets, u, f, q));
      for (int b = 0; b < n_nodes; ++b) blocks[b] += da * slope * facets.N(q, a) * facets.N(q, b);
    }
    for (int b = 0; b < n_nodes; ++b)
      matrix.values[matrix.entry(row, facets.nodes(f, b))] += blocks[b];
  }
};

}  // namespace trestle::fem
