// What the diagonals of K and M say of an eigenvalue problem, and its unknowns that are free.
#pragma once

#include <vector>

#include "solver/matrix/block_matrix.hpp"

namespace trestle::solver {

/// Unknowns with mass, and the sums of both diagonals over these.
struct Diagonals {
  std::vector<std::size_t> free;  // owned unknowns with mass
  std::vector<double> stiffness;  // [owned unknown], 0 where there is no mass
  GlobalIndex n_free = 0;         // of all ranks
  GlobalIndex n_free_before = 0;  // of the ranks before this one
  double trace_k = 0, trace_m = 0;
};

/// Collective.
Diagonals diagonals_of(const BlockMatrix<double>& K, const BlockMatrix<double>& M);

/// Throws NumericalError (81) on all ranks where one of them holds a value that is not finite.
/// Collective.
void refuse_not_finite(const BlockMatrix<double>& K, const BlockMatrix<double>& M);

}  // namespace trestle::solver
