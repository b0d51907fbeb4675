// Tangents dP/dF: tensors of fourth order as 9 x 9 matrices.
#pragma once

#include "fem/tensor.hpp"

namespace trestle::fem {

/// A(i, j, k, l) = dP_ij / dF_kl.
struct Tensor4 {
  double m[9][9];
  TRESTLE_KERNEL double& operator()(int i, int j, int k, int l) { return m[3 * i + j][3 * k + l]; }
  TRESTLE_KERNEL double operator()(int i, int j, int k, int l) const {
    return m[3 * i + j][3 * k + l];
  }
};

/// sum += s a (x) b.
TRESTLE_KERNEL inline void add_dyad(Tensor4& sum, double s, const Mat3& a, const Mat3& b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double sa = s * a(i, j);
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) sum(i, j, k, l) += sa * b(k, l);
    }
}
/// sum += s (a (x) b + b (x) a).
TRESTLE_KERNEL inline void add_symmetric_dyad(Tensor4& sum, double s, const Mat3& a,
                                              const Mat3& b) {
  add_dyad(sum, s, a, b);
  add_dyad(sum, s, b, a);
}
/// sum += s d(F^-T)/dF with H = F^-T: -H_il H_kj.
TRESTLE_KERNEL inline void add_inverse_derivative(Tensor4& sum, double s, const Mat3& H) {
  for (int i = 0; i < 3; ++i)
    for (int l = 0; l < 3; ++l) {
      const double sh = s * H(i, l);
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j) sum(i, j, k, l) -= sh * H(k, j);
    }
}
/// sum += s dF/dF.
TRESTLE_KERNEL inline void add_identity(Tensor4& sum, double s) {
  for (int i = 0; i < 9; ++i) sum.m[i][i] += s;
}
/// sum += s d(dev sym F)/dF.
TRESTLE_KERNEL inline void add_symmetric_deviator(Tensor4& sum, double s) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      sum(i, j, i, j) += s / 2;
      sum(i, j, j, i) += s / 2;
    }
  add_dyad(sum, -s / 3, identity(), identity());
}

}  // namespace trestle::fem
