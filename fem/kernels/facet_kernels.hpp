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

/// How a surface exchanges heat with its surroundings, from a coefficient and their temperature.
enum class Exchange {
  convection,  // coefficient h [W/(m^2 K)]:  h (T_ambient - T)
  radiation    // emissivity:  emissivity sigma (T_ambient^4 - T^4), absolute temperatures
};

/// Stefan-Boltzmann constant [W/(m^2 K^4)], exact since the SI of 2019.
inline constexpr double stefan_boltzmann = 5.670374419e-8;

/// Heat flow into the body [W/m^2].
TRESTLE_KERNEL inline double exchange_flux(Exchange kind, double coefficient, double ambient,
                                           double T) {
  if (kind == Exchange::convection) return coefficient * (ambient - T);
  const double a2 = ambient * ambient, t2 = T * T;
  return coefficient * stefan_boltzmann * (a2 + t2) * (ambient + T) * (ambient - T);
}
/// - d exchange_flux / dT [W/(m^2 K)].
TRESTLE_KERNEL inline double exchange_slope(Exchange kind, double coefficient, double T) {
  if (kind == Exchange::convection) return coefficient;
  return 4 * coefficient * stefan_boltzmann * T * T * T;
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
