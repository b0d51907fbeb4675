// Plasticity of von Mises for small strains with isotropic hardening: its part that changes the
// shape.
#pragma once

#include "fem/tensor4.hpp"

namespace trestle::fem {

/// Yield stress over equivalent plastic strain: linear between `points`, which begin at strain 0
/// and never fall; behind the last one with `slope`.
struct HardeningCurve {
  const double* points;  // [n, 2]: strain, stress [Pa]
  int n;
  double slope;  // [Pa]

  TRESTLE_KERNEL double strain(int k) const { return points[2 * k]; }
  TRESTLE_KERNEL double stress(int k) const { return points[2 * k + 1]; }
  /// The piece that holds strain `a`: from its point k on.
  TRESTLE_KERNEL int piece(double a) const {
    int k = 0;
    while (k + 1 < n && a >= strain(k + 1)) ++k;
    return k;
  }
  TRESTLE_KERNEL double slope_of(int k) const {
    return k + 1 < n ? (stress(k + 1) - stress(k)) / (strain(k + 1) - strain(k)) : slope;
  }
};

/// What a point remembers.
struct PlasticState {
  Mat3 strain;        // plastic strain
  double equivalent;  // equivalent plastic strain
};

/// s = 2 mu (dev eps - eps_p), sqrt(3/2) |s| <= yield stress; implicit Euler, exact on the pieces
/// of the curve [Simo and Hughes 1998, box 3.1; tangent box 3.2].
struct J2Plasticity {
  double shear;  // mu [Pa]
  HardeningCurve curve;
  PlasticState accepted;

  /// Deviatoric stress of the strain [Pa].
  TRESTLE_KERNEL Mat3 stress(const Mat3& strain) const {
    const Return r = map(strain);
    return r.scale * r.trial;
  }
  /// Its tangent d stress / d strain, consistent with the return.
  TRESTLE_KERNEL Tensor4 tangent(const Mat3& strain) const {
    const Return r = map(strain);
    Tensor4 C{};
    add_symmetric_deviator(C, 2 * shear * r.scale);
    if (r.increment > 0) {
      const double bar = 1 / (1 + r.slope / (3 * shear)) - (1 - r.scale);
      const double norm_squared = double_dot(r.trial, r.trial);
      add_dyad(C, -2 * shear * bar / norm_squared, r.trial, r.trial);
    }
    return C;
  }
  /// What the point remembers at the end of a step of this strain.
  TRESTLE_KERNEL PlasticState updated(const Mat3& strain) const {
    const Return r = map(strain);
    if (r.increment == 0) return accepted;
    const double along = std::sqrt(1.5) * r.increment / norm(r.trial);
    return {accepted.strain + along * r.trial, accepted.equivalent + r.increment};
  }
  /// Elastic energy of the shape [J/m^3].
  TRESTLE_KERNEL double energy(const Mat3& strain) const {
    const Mat3 s = stress(strain);
    return double_dot(s, s) / (4 * shear);
  }

 private:
  struct Return {
    Mat3 trial;        // deviatoric stress without plastic flow
    double scale;      // stress / trial
    double increment;  // of the equivalent plastic strain
    double slope;      // of the curve where the increment ends
  };
  TRESTLE_KERNEL Return map(const Mat3& strain) const {
    Return r{(2 * shear) * (deviator(strain) - accepted.strain), 1, 0, 0};
    const double trial = std::sqrt(1.5) * norm(r.trial);
    double a = accepted.equivalent;
    int k = curve.piece(a);
    double yield = curve.stress(k) + curve.slope_of(k) * (a - curve.strain(k));
    constexpr double round_off = 1e-12;  // a returned state stays on the surface
    if (!(trial > yield * (1 + round_off))) return r;
    for (;; ++k) {
      r.slope = curve.slope_of(k);
      const double left = trial - 3 * shear * (a - accepted.equivalent) - yield;
      const double end = a + left / (3 * shear + r.slope);
      if (k + 1 >= curve.n || end <= curve.strain(k + 1)) {
        r.increment = end - accepted.equivalent;
        r.scale = 1 - 3 * shear * r.increment / trial;
        return r;
      }
      a = curve.strain(k + 1);
      yield = curve.stress(k + 1);
    }
  }
};

}  // namespace trestle::fem
