// Eigenvalues of a small dense symmetric matrix.
#pragma once

#include <vector>

namespace trestle::fem {

/// Eigenvalues of `a` [n, n], ascending, by cyclic Jacobi rotations [Golub and Van Loan 2013,
/// sec. 8.5].
std::vector<double> symmetric_eigenvalues(std::vector<double> a, int n);

}  // namespace trestle::fem
