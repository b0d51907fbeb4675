// The law of Mooney and Rivlin for finite strains: its part that changes the shape.
#pragma once

#include "fem/materials/neo_hookean.hpp"

namespace trestle::fem {

/// W = c10 (I1 J^(-2/3) - 3) + c01 (I2 J^(-4/3) - 3), I2 = (I1^2 - tr C^2) / 2 [Holzapfel 2000,
/// sec. 6.5]; P = dW/dF and its tangent. For J <= 0 the values are not finite.
struct MooneyRivlin {
  double c10, c01;  // [Pa]

  TRESTLE_KERNEL double energy(const Mat3& F) const {
    const double h = std::pow(determinant(F), -4.0 / 3);
    return first().energy(F) + c01 * (h * invariant(F) - 3);
  }
  /// First Piola-Kirchhoff stress [Pa].
  TRESTLE_KERNEL Mat3 stress(const Mat3& F) const {
    const Mat3 H = transpose(inverse(F));
    const double h = c01 * std::pow(determinant(F), -4.0 / 3);
    return first().stress(F) + h * (slope(F) - (4.0 / 3 * invariant(F)) * H);
  }
  /// dP/dF.
  TRESTLE_KERNEL Tensor4 tangent(const Mat3& F) const {
    const Mat3 H = transpose(inverse(F)), dI2 = slope(F), B = F * transpose(F),
               C = transpose(F) * F;
    const double h = c01 * std::pow(determinant(F), -4.0 / 3), I1 = trace(C), I2 = invariant(F);
    Tensor4 A = first().tangent(F);
    add_symmetric_dyad(A, -4 * h / 3, dI2, H);
    add_dyad(A, 16 * h / 9 * I2, H, H);
    add_inverse_derivative(A, -4 * h / 3 * I2, H);
    add_dyad(A, 4 * h, F, F);
    add_identity(A, 2 * h * I1);
    for (int i = 0; i < 3; ++i)  // -2h d(F C)/dF
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) {
          A(i, j, i, k) -= 2 * h * C(k, j);
          A(i, j, k, j) -= 2 * h * B(i, k);
          for (int l = 0; l < 3; ++l) A(i, j, k, l) -= 2 * h * F(i, l) * F(k, j);
        }
    return A;
  }

 private:
  TRESTLE_KERNEL NeoHookean first() const { return {2 * c10}; }
  /// I2 of C.
  TRESTLE_KERNEL static double invariant(const Mat3& F) {
    const Mat3 C = transpose(F) * F;
    return (trace(C) * trace(C) - double_dot(C, C)) / 2;
  }
  /// dI2/dF = 2 (I1 F - F C).
  TRESTLE_KERNEL static Mat3 slope(const Mat3& F) {
    const Mat3 C = transpose(F) * F;
    return 2.0 * (trace(C) * F - F * C);
  }
};

}  // namespace trestle::fem
