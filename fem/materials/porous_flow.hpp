// Darcy's law: flow through a porous medium, driven by pressure and weight.
#pragma once

#include "fem/materials/conduction.hpp"

namespace trestle::fem {

/// Scalar unknown p [Pa], the velocity q = -m (grad p - rho g) with the mobility m = permeability
/// over viscosity [Bear 1972, sec. 5.1]. T as in tensor.hpp.
template <class T>
struct BasicPorousFlow : BasicConduction<T> {
  template <class Other>
  using In = BasicPorousFlow<Other>;
  using Flux = BasicVec3<T>;
  static constexpr bool has_force_at_zero = true;
  static constexpr int n_parameters = 6;  // mobility along x, y, z [m^2/(Pa s)], m rho g [m/s]

  BasicVec3<T> by_weight;

  TRESTLE_KERNEL explicit BasicPorousFlow(const T* parameters)
      : BasicConduction<T>(parameters), by_weight{parameters[3], parameters[4], parameters[5]} {}

  /// -q of nodal pressures [node] at a point [m/s].
  TRESTLE_KERNEL Flux flux(const BasicShape<T>* shape, int n_nodes, const T* pressure,
                           T thermal) const {
    return BasicConduction<T>::flux(shape, n_nodes, pressure, thermal) - by_weight;
  }
};
using PorousFlow = BasicPorousFlow<double>;

}  // namespace trestle::fem
