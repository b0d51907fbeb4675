// Inverses of blocks of a few rows, for kernels and for the host.
#pragma once

#include <cmath>

#include "gpu/macros.hpp"

namespace trestle::solver {

/// Inverts the n x n matrix a in place by Gauss-Jordan with row pivoting; false, with a used up,
/// where a pivot falls below 1e-14 of the largest entry.
template <int n>
TRESTLE_KERNEL bool invert(double* a) {
  double scale = 0;
  for (int k = 0; k < n * n; ++k) scale = fabs(a[k]) > scale ? fabs(a[k]) : scale;
  double inverse[n * n] = {};
  for (int i = 0; i < n; ++i) inverse[i * n + i] = 1;
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    if (!(fabs(a[best * n + k]) > 1e-14 * scale)) return false;
    const double pivot = 1 / a[best * n + k];
    for (int j = 0; j < n; ++j) {
      const double left = a[k * n + j], right = inverse[k * n + j];
      a[k * n + j] = a[best * n + j] * pivot;
      inverse[k * n + j] = inverse[best * n + j] * pivot;
      if (best == k) continue;
      a[best * n + j] = left;
      inverse[best * n + j] = right;
    }
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i * n + k];
      for (int j = 0; j < n; ++j) {
        a[i * n + j] -= factor * a[k * n + j];
        inverse[i * n + j] -= factor * inverse[k * n + j];
      }
    }
  }
  for (int k = 0; k < n * n; ++k) a[k] = inverse[k];
  return true;
}

/// As `invert`; where there is no inverse the reciprocals of the diagonal take its place, with 1
/// for an entry that is zero.
template <int n>
TRESTLE_KERNEL void invert_or_diagonal(double* a) {
  double diagonal[n];
  for (int i = 0; i < n; ++i) diagonal[i] = a[i * n + i];
  if (invert<n>(a)) return;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[i * n + j] = i != j ? 0 : diagonal[i] != 0 ? 1 / diagonal[i] : 1;
}

}  // namespace trestle::solver
