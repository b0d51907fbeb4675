// Advection, diffusion and reaction of a scalar, weighted along the streamlines (SUPG).
#pragma once

#include "fem/cells/geometry.hpp"

namespace trestle::fem {

/// Scalar unknown u: -div(k grad u) + b . grad u + s u = f, tested with N_a + w . grad N_a
/// [Brooks and Hughes 1982], where w = tau b. The weighting acts on the whole residual in the cell,
/// b . grad u + s u - f - k : grad grad u - d . grad u, where d = div k, in axisymmetric models
/// with k/r along x. Linear cells have no second derivatives. T as in tensor.hpp.
template <class T>
struct BasicAdvection {
  template <class Other>
  using In = BasicAdvection<Other>;
  static constexpr bool linear = true, symmetric = false;
  static constexpr bool at_load_rule = true, has_force_at_zero = true;
  static constexpr bool wants_second_derivatives = true;
  static constexpr int n_components = 1;
  static constexpr int n_flux = 3;  // values of a flux in results
  static constexpr int max_nodes = 27;
  static constexpr int n_parameters = 14;
  using ShapeHere = BasicCurvedShape<T>;
  struct Flux {
    BasicVec3<T> conducted;  // k grad u
    T rest;                  // b . grad u + s u - f
    T residual;              // rest - div(k grad u)
    BasicVec3<T> weight;
  };

  BasicVec3<T> conductivity;  // k along x, y, z
  BasicVec3<T> carrier;       // b
  BasicVec3<T> weight;        // w [m]
  T reaction, source;         // s, f
  BasicVec3<T> drift;         // d

  TRESTLE_KERNEL explicit BasicAdvection(const T* p)
      : conductivity{p[0], p[1], p[2]},
        carrier{p[3], p[4], p[5]},
        weight{p[6], p[7], p[8]},
        reaction(p[9]),
        source(p[10]),
        drift{p[11], p[12], p[13]} {}

  TRESTLE_KERNEL Flux flux(const ShapeHere* shape, int n_nodes, const T* u, T) const {
    ShapeHere sum{};
    for (int a = 0; a < n_nodes; ++a) {
      sum.grad += u[a] * shape[a].grad;
      sum.second += u[a] * shape[a].second;
      sum.N += u[a] * shape[a].N;
    }
    const T rest = without_diffusion(sum) - source;
    return {times_conductivity(sum.grad), rest, rest - diffusion(sum), weight};
  }
  /// Its derivative by u_b, row a.
  TRESTLE_KERNEL void tangent(const ShapeHere& a, const ShapeHere& b, T dv, T* block) const {
    const T rest = without_diffusion(b);
    block[0] += dv * (dot(a.grad, times_conductivity(b.grad)) + a.N * rest +
                      dot(weight, a.grad) * (rest - diffusion(b)));
  }
  TRESTLE_KERNEL static void project(const Flux& flux, const ShapeHere& a, T dv, T* force) {
    force[0] += dv * (dot(flux.conducted, a.grad) + flux.rest * a.N +
                      flux.residual * dot(flux.weight, a.grad));
  }
  /// The diffusive flux -k grad u.
  TRESTLE_KERNEL static void store(const Flux& flux, T* values) {
    for (int d = 0; d < 3; ++d) values[d] = -flux.conducted[d];
  }

 private:
  TRESTLE_KERNEL T without_diffusion(const ShapeHere& u) const {
    return dot(carrier, u.grad) + reaction * u.N;
  }
  TRESTLE_KERNEL T diffusion(const ShapeHere& u) const {
    return dot(conductivity, u.second) + dot(drift, u.grad);
  }
  TRESTLE_KERNEL BasicVec3<T> times_conductivity(const BasicVec3<T>& v) const {
    return {conductivity[0] * v[0], conductivity[1] * v[1], conductivity[2] * v[2]};
  }
};
using Advection = BasicAdvection<double>;

}  // namespace trestle::fem
