// Fourier's law with a conductivity along each axis: k grad T, the negative heat flux.
#pragma once

#include "fem/cells/geometry.hpp"

namespace trestle::fem {

/// Scalar unknown. Flux and tangent side by side [Hughes 2000, sec. 2.3]. T as in tensor.hpp.
template <class T>
struct BasicConduction {
  template <class Other>
  using In = BasicConduction<Other>;
  static constexpr bool linear = true, symmetric = true;
  static constexpr int n_components = 1;
  static constexpr int n_flux = 3;  // values of a flux in results
  static constexpr int max_nodes = 27;
  static constexpr int n_parameters = 3;  // conductivity along x, y, z [W/(m K)]
  using Flux = BasicVec3<T>;

  BasicVec3<T> conductivity;

  TRESTLE_KERNEL explicit BasicConduction(const T* parameters)
      : conductivity{parameters[0], parameters[1], parameters[2]} {}

  /// k grad T of nodal temperatures [node] [K] at a point [W/m^2].
  TRESTLE_KERNEL Flux flux(const BasicShape<T>* shape, int n_nodes, const T* temperature, T) const {
    BasicVec3<T> grad{};
    for (int a = 0; a < n_nodes; ++a) grad += temperature[a] * shape[a].grad;
    return times_conductivity(grad);
  }
  /// d(flux . grad N_a) / d T_b.
  TRESTLE_KERNEL void tangent(const BasicShape<T>& a, const BasicShape<T>& b, T dv,
                              T* block) const {
    block[0] += dv * dot(a.grad, times_conductivity(b.grad));
  }
  /// Force on a node of the flux: flux . grad N_a.
  TRESTLE_KERNEL static void project(const Flux& flux, const BasicShape<T>& a, T dv, T* force) {
    force[0] += dv * dot(flux, a.grad);
  }
  /// The heat flux q = -k grad T [W/m^2].
  TRESTLE_KERNEL static void store(const Flux& flux, T* values) {
    for (int d = 0; d < 3; ++d) values[d] = -flux[d];
  }

 private:
  TRESTLE_KERNEL BasicVec3<T> times_conductivity(const BasicVec3<T>& v) const {
    return {conductivity[0] * v[0], conductivity[1] * v[1], conductivity[2] * v[2]};
  }
};
using Conduction = BasicConduction<double>;

}  // namespace trestle::fem
