// Krylov-Schur by SLEPc on (K - shift M)^-1 M: the eigenvectors nearest to a shift.
#pragma once

#include <memory>
#include <vector>

#include "solver/inner_solver.hpp"
#include "solver/matrix/block_matrix.hpp"
#include "solver/matrix/matrix_operator.hpp"

namespace trestle::solver {

/// Vectors on the host, each [owned node, block].
using HostColumns = std::vector<std::vector<double>>;

/// K - shift M, factored.
struct ShiftedFactors {
  double shift;
  std::unique_ptr<InnerSolver> factors;
  bool singular() const { return factors->zero_pivots() > 0; }
  /// Eigenvalues below the shift.
  int n_below() const { return factors->negative_pivots(); }
  /// There are no factors then.
  bool out_of_memory() const { return factors->out_of_memory(); }
};

/// Collective.
ShiftedFactors factor_shifted(const BlockMatrix<double>& K, const BlockMatrix<double>& M,
                              double shift);

struct KrylovSchurOutcome {
  HostColumns vectors;  // M-orthonormal, nearest to the shift first
  bool converged = false;
  bool breakdown = false;
  int restarts = 0;
  int applications = 0;
};

struct KrylovSchurOptions {
  int n_wanted;
  int n_free;  // the largest dimension of a Krylov space, above n_wanted
  double tolerance;
  int max_restarts;
  IterationObserver observer;  // of applications; may throw
};

/// Up to `n_wanted` vectors or a few more, M-orthogonal to those of `known`. Collective.
KrylovSchurOutcome krylov_schur(const KrylovSchurOptions& options, const BlockMatrix<double>& K,
                                const MatrixOperator<double>& M, ShiftedFactors& inverse,
                                const HostColumns& known);

/// A step of inverse iteration, (K - shift M)^-1 M x of each vector: it takes out what is left of
/// modes far from the shift. The results are M-orthogonal to the M-orthonormal `known`, for which
/// the inverse may be by orders of magnitude larger. Collective.
void iterate_inversely(const MatrixOperator<double>& M, ShiftedFactors& inverse,
                       const HostColumns& known, HostColumns& vectors);

}  // namespace trestle::solver
