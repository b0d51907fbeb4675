// The law of a solid at a point, chosen at run time: stress and tangent in terms of the gradient of
// the displacement.
#pragma once

#include "fem/materials/j2_plasticity.hpp"
#include "fem/materials/mooney_rivlin.hpp"

namespace trestle::fem {

enum class Law { linear, neo_hookean, mooney_rivlin, j2_plasticity };

/// Values of a material in a table of parameters.
namespace solid_parameter {
enum : int {
  law,          // Law as a number
  shear,        // mu [Pa]; Mooney-Rivlin: c10
  bulk,         // kappa [Pa]
  second,       // Mooney-Rivlin: c01 [Pa]; J2: slope of the curve behind its last point [Pa]
  first_point,  // of the hardening curve
  n_points,
  plane_stress,  // not 0: the thickness changes so that no stress acts on it
  count
};
}  // namespace solid_parameter

/// A law splits into the change of shape and that of volume: P = P_shape(F) + p(theta) dtheta/dF.
/// Small strains: theta = tr eps, p = kappa (theta - 3 thermal) and P is the stress. Finite ones:
/// theta = J, p = kappa/2 (J - 1/J) [Simo and Hughes 1998, eq. 9.2.3], and P is the first
/// Piola-Kirchhoff stress. H is the gradient of the displacement, F = I + H.
struct SolidLaw {
  Law law;
  double shear, bulk, second;
  HardeningCurve curve;
  PlasticState state;
  bool plane_stress;

  TRESTLE_KERNEL SolidLaw(const double* values, const double* points, const PlasticState& accepted)
      : law(static_cast<Law>(static_cast<int>(values[solid_parameter::law]))),
        shear(values[solid_parameter::shear]),
        bulk(values[solid_parameter::bulk]),
        second(values[solid_parameter::second]),
        curve{points + 2 * static_cast<int>(values[solid_parameter::first_point]),
              static_cast<int>(values[solid_parameter::n_points]), second},
        state(accepted),
        plane_stress(values[solid_parameter::plane_stress] != 0) {}

  TRESTLE_KERNEL bool finite() const {
    return law == Law::neo_hookean || law == Law::mooney_rivlin;
  }
  /// P_shape [Pa].
  TRESTLE_KERNEL Mat3 stress(const Mat3& H) const {
    switch (law) {
      case Law::neo_hookean:
        return NeoHookean{shear}.stress(identity() + H);
      case Law::mooney_rivlin:
        return MooneyRivlin{shear, second}.stress(identity() + H);
      case Law::j2_plasticity:
        return plasticity().stress(sym(H));
      default:
        return (2 * shear) * deviator(sym(H));
    }
  }
  /// dP_shape/dH.
  TRESTLE_KERNEL Tensor4 tangent(const Mat3& H) const {
    switch (law) {
      case Law::neo_hookean:
        return NeoHookean{shear}.tangent(identity() + H);
      case Law::mooney_rivlin:
        return MooneyRivlin{shear, second}.tangent(identity() + H);
      case Law::j2_plasticity:
        return plasticity().tangent(sym(H));
      default: {
        Tensor4 C{};
        add_symmetric_deviator(C, 2 * shear);
        return C;
      }
    }
  }
  /// Energy of the change of shape [J/m^3].
  TRESTLE_KERNEL double shape_energy(const Mat3& H) const {
    switch (law) {
      case Law::neo_hookean:
        return NeoHookean{shear}.energy(identity() + H);
      case Law::mooney_rivlin:
        return MooneyRivlin{shear, second}.energy(identity() + H);
      case Law::j2_plasticity:
        return plasticity().energy(sym(H));
      default: {
        const Mat3 e = deviator(sym(H));
        return shear * double_dot(e, e);
      }
    }
  }

  /// theta.
  TRESTLE_KERNEL double volume(const Mat3& H) const {
    return finite() ? determinant(identity() + H) : trace(H);
  }
  /// dtheta/dH.
  TRESTLE_KERNEL Mat3 volume_slope(const Mat3& H) const {
    return finite() ? cofactor(identity() + H) : identity();
  }
  /// sum += s d2theta/dH2.
  TRESTLE_KERNEL void add_volume_curvature(Tensor4& sum, double s, const Mat3& H) const {
    if (!finite()) return;
    const Mat3 F = identity() + H, inverse_transposed = transpose(inverse(F));
    const double J = determinant(F);
    add_dyad(sum, s * J, inverse_transposed, inverse_transposed);
    add_inverse_derivative(sum, s * J, inverse_transposed);
  }
  /// p, tension positive; not a number for a finite theta <= 0 [Pa].
  TRESTLE_KERNEL double pressure(double theta, double thermal) const {
    if (!finite()) return bulk * (theta - 3 * thermal);
    return theta > 0 ? bulk / 2 * (theta - 1 / theta) : NAN;
  }
  /// dp/dtheta [Pa].
  TRESTLE_KERNEL double pressure_slope(double theta) const {
    return finite() ? bulk / 2 * (1 + 1 / (theta * theta)) : bulk;
  }
  /// Energy of the change of volume [J/m^3].
  TRESTLE_KERNEL double volume_energy(double theta, double thermal) const {
    if (finite()) return bulk / 2 * ((theta * theta - 1) / 2 - std::log(theta));
    const double elastic = theta - 3 * thermal;
    return bulk / 2 * elastic * elastic;
  }

  /// P with the pressure of this point [Pa].
  TRESTLE_KERNEL Mat3 whole_stress(const Mat3& H, double thermal) const {
    return stress(H) + pressure(volume(H), thermal) * volume_slope(H);
  }
  /// Its tangent.
  TRESTLE_KERNEL Tensor4 whole_tangent(const Mat3& H, double thermal) const {
    Tensor4 A = tangent(H);
    const double theta = volume(H);
    const Mat3 D = volume_slope(H);
    add_volume_curvature(A, pressure(theta, thermal), H);
    add_dyad(A, pressure_slope(theta), D, D);
    return A;
  }
  /// Plane stress: H with the strain of the thickness that leaves no stress on it, P_zz = 0; not a
  /// number where the plane is turned over. P_zz rises with H_zz: Newton's method within bounds
  /// that close in.
  TRESTLE_KERNEL Mat3 with_thickness(Mat3 H, double thermal) const {
    constexpr int most = 100;
    constexpr double rounding = 1e-15;
    const double area = (1 + H(0, 0)) * (1 + H(1, 1)) - H(0, 1) * H(1, 0);
    double low = -1e30, high = 1e30;
    H(2, 2) = 0;
    if (finite()) {
      low = -1;
      H(2, 2) = area > 0 ? 1 / area - 1 : NAN;  // as if its volume stayed
    }
    for (int i = 0; i < most; ++i) {
      const double P = whole_stress(H, thermal)(2, 2), h = H(2, 2);
      if (P > 0)
        high = h;
      else
        low = h;
      double next = h - P / whole_tangent(H, thermal)(2, 2, 2, 2);
      if (!(next > low && next < high))
        next = (low > -1e30 && high < 1e30) ? (low + high) / 2 : next;
      H(2, 2) = next;
      if (!(std::abs(next - h) > rounding * norm(H))) break;
    }
    return H;
  }
  /// The tangent of plane stress from that of all directions: the thickness follows.
  TRESTLE_KERNEL static void condense_thickness(Tensor4& A) {
    double of_thickness[9], by_thickness[9];
    const double stiffness = A(2, 2, 2, 2);
    for (int k = 0; k < 9; ++k) {
      of_thickness[k] = A.m[8][k];
      by_thickness[k] = A.m[k][8] / stiffness;
    }
    for (int k = 0; k < 9; ++k)
      for (int l = 0; l < 9; ++l) A.m[k][l] -= by_thickness[k] * of_thickness[l];
  }

  TRESTLE_KERNEL J2Plasticity plasticity() const { return {shear, curve, state}; }
};

}  // namespace trestle::fem
