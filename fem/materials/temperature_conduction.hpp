// Fourier's law with a conductivity that depends on the temperature.
#pragma once

#include "fem/materials/conduction.hpp"

namespace trestle::fem {

/// Scalar unknown. The conductivities and their slopes are evaluated at the temperature of the
/// point beforehand; the tangent has the term of the slope, which makes it unsymmetric:
/// d(k grad T . grad N_a)/dT_b = k grad N_b . grad N_a + k' N_b grad T . grad N_a.
template <class T>
struct BasicTemperatureConduction : BasicConduction<T> {
  template <class Other>
  using In = BasicTemperatureConduction<Other>;
  static constexpr bool linear = false, symmetric = false;
  static constexpr int n_parameters = 6;  // k along x, y, z [W/(m K)], their slopes [W/(m K^2)]

  BasicVec3<T> slope;

  TRESTLE_KERNEL explicit BasicTemperatureConduction(const T* parameters)
      : BasicConduction<T>(parameters), slope{parameters[3], parameters[4], parameters[5]} {}

  /// The tangent at a point.
  struct Tangent {
    BasicConduction<T> conduction;
    BasicVec3<T> flux_slope;  // k' grad T [W/(m^2 K)]
    TRESTLE_KERNEL void tangent(const BasicShape<T>& a, const BasicShape<T>& b, T dv,
                                T* block) const {
      conduction.tangent(a, b, dv, block);
      block[0] += dv * b.N * dot(a.grad, flux_slope);
    }
  };
  TRESTLE_KERNEL Tangent linearised(const BasicShape<T>* shape, int n_nodes, const T* temperature,
                                    T) const {
    BasicVec3<T> grad{};
    for (int a = 0; a < n_nodes; ++a) grad += temperature[a] * shape[a].grad;
    return {*this, {slope[0] * grad[0], slope[1] * grad[1], slope[2] * grad[2]}};
  }
};
using TemperatureConduction = BasicTemperatureConduction<double>;

}  // namespace trestle::fem
