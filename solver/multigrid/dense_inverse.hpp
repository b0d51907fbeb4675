// The inverse of a small symmetric matrix, which solves the coarsest level by one product.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace trestle::solver {

struct DenseInverse {
  std::vector<double> values;  // [n, n]
  int n_dropped = 0;           // eigenvalues taken for zero
};

/// Of the symmetric matrix `a` [n, n], used up, by Cholesky [LAPACK dpotrf, dpotri]; where that
/// meets a pivot that is not positive, by its eigenvalues [dsyev], those below 1e-10 of the largest
/// taken for zero: then it is the pseudo-inverse. Throws NumericalError (80) for a matrix with
/// negative eigenvalues or with values that are not finite.
DenseInverse invert_symmetric(std::vector<double> a, int n);

}  // namespace trestle::solver
