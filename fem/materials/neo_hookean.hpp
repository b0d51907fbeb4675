// The neo-Hookean law for finite strains: its part that changes the shape.
#pragma once

#include "fem/tensor4.hpp"

namespace trestle::fem {

/// W = mu/2 (J^(-2/3) tr C - 3) [Simo and Hughes 1998, sec. 9.2]; P = dW/dF and its tangent. For
/// J <= 0 the values are not finite.
struct NeoHookean {
  double shear;  // mu [Pa]

  TRESTLE_KERNEL double energy(const Mat3& F) const {
    return shear / 2 * (std::pow(determinant(F), -2.0 / 3) * double_dot(F, F) - 3);
  }
  /// First Piola-Kirchhoff stress mu J^(-2/3) (F - tr C / 3 F^-T) [Pa].
  TRESTLE_KERNEL Mat3 stress(const Mat3& F) const {
    const Mat3 H = transpose(inverse(F));
    return (shear * std::pow(determinant(F), -2.0 / 3)) * (F - (double_dot(F, F) / 3) * H);
  }
  /// dP/dF.
  TRESTLE_KERNEL Tensor4 tangent(const Mat3& F) const {
    const Mat3 H = transpose(inverse(F));
    const double g = shear * std::pow(determinant(F), -2.0 / 3), I1 = double_dot(F, F);
    Tensor4 A{};
    add_identity(A, g);
    add_symmetric_dyad(A, -2 * g / 3, F, H);
    add_dyad(A, 2 * g / 9 * I1, H, H);
    add_inverse_derivative(A, -g / 3 * I1, H);
    return A;
  }
};

}  // namespace trestle::fem
