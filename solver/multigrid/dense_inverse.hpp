// The inverse of a small symmetric matrix, which solves the coarsest level by one product.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace trestle::solver {

struct DenseInverse {
  std::vector<double> values;  // [n, n]
  int n_zero = 0;              // eigenvalues taken for zero
  int n_negative = 0;          // negative ones, taken by their size
};

/// Of the symmetric matrix `a` [n, n], used up, by Cholesky [LAPACK dpotrf, dpotri]; where that
/// meets a pivot that is hardly positive, by its eigenvalues [dsyev], those below 1e-13 of the
/// largest taken for zero and the others by their size: then it is the pseudo-inverse of the
/// positive matrix nearby. Throws NumericalError (80) for values that are not finite.
DenseInverse invert_symmetric(std::vector<double> a, int n);

}  // namespace trestle::solver
