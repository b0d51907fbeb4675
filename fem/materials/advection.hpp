// Advection, diffusion and reaction of a scalar, weighted along the streamlines (SUPG).
#pragma once

#include "fem/cells/geometry.hpp"

namespace trestle::fem {

/// Scalar unknown u: -div(k grad u) + b . grad u + s u = f, tested with N_a + w . grad N_a
/// [Brooks and Hughes 1982], where w = tau b. The weighting acts on b . grad u + s u - f, and not
/// on the diffusive term, which is 0 in cells of straight linear shape and small where tau is
/// chosen as physics/advection.hpp does. T as in tensor.hpp.
template <class T>
struct BasicAdvection {
  template <class Other>
  using In = BasicAdvection<Other>;
  static constexpr bool linear = true, symmetric = false;
  static constexpr bool at_load_rule = true, has_force_at_zero = true;
  static constexpr int n_components = 1;
  static constexpr int n_flux = 3;  // values of a flux in results
  static constexpr int max_nodes = 27;
  static constexpr int n_parameters = 11;
  struct Flux {
    BasicVec3<T> conducted;  // k grad u
    T rest;                  // b . grad u + s u - f
    BasicVec3<T> weight;
  };

  BasicVec3<T> conductivity;  // k along x, y, z
  BasicVec3<T> carrier;       // b
  BasicVec3<T> weight;        // w [m]
  T reaction, source;         // s, f

  TRESTLE_KERNEL explicit BasicAdvection(const T* p)
      : conductivity{p[0], p[1], p[2]},
        carrier{p[3], p[4], p[5]},
        weight{p[6], p[7], p[8]},
        reaction(p[9]),
        source(p[10]) {}

  TRESTLE_KERNEL Flux flux(const BasicShape<T>* shape, int n_nodes, const T* u, T) const {
    BasicVec3<T> grad{};
    T value = 0;
    for (int a = 0; a < n_nodes; ++a) {
      grad += u[a] * shape[a].grad;
      value += u[a] * shape[a].N;
    }
    return {times_conductivity(grad), dot(carrier, grad) + reaction * value - source, weight};
  }
  /// Its derivative by u_b, row a.
  TRESTLE_KERNEL void tangent(const BasicShape<T>& a, const BasicShape<T>& b, T dv,
                              T* block) const {
    block[0] += dv * (dot(a.grad, times_conductivity(b.grad)) +
                      (a.N + dot(weight, a.grad)) * (dot(carrier, b.grad) + reaction * b.N));
  }
  TRESTLE_KERNEL static void project(const Flux& flux, const BasicShape<T>& a, T dv, T* force) {
    force[0] += dv * (dot(flux.conducted, a.grad) + flux.rest * (a.N + dot(flux.weight, a.grad)));
  }
  /// The diffusive flux -k grad u.
  TRESTLE_KERNEL static void store(const Flux& flux, T* values) {
    for (int d = 0; d < 3; ++d) values[d] = -flux.conducted[d];
  }

 private:
  TRESTLE_KERNEL BasicVec3<T> times_conductivity(const BasicVec3<T>& v) const {
    return {conductivity[0] * v[0], conductivity[1] * v[1], conductivity[2] * v[2]};
  }
};
using Advection = BasicAdvection<double>;

}  // namespace trestle::fem
