// A block of vectors that conjugate gradients bring to the lowest modes of K x = lambda M x.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solver/eigen/columns.hpp"
#include "solver/eigen/diagonals.hpp"
#include "solver/eigen/modes.hpp"
#include "solver/operator.hpp"

namespace trestle::solver {

struct BlockSearchOptions {
  int n_wanted = 1;  // of the block, the lowest, whose residuals must come below the tolerance
  double tolerance = 1e-8;  // ||K x - lambda M x|| / ||K x||
  int max_iterations = 500;
  std::optional<double> enough;  // ends as soon as the lowest value is below
  IterationObserver observer;    // of iterations and of the largest residual
};

struct BlockSearchOutcome {
  enum class End { converged, below, max_iterations, breakdown };
  End end = End::breakdown;
  std::string message;         // where it did not converge
  std::vector<double> values;  // of all vectors, ascending
  HostColumns vectors;
  int iterations = 0, applications = 0;  // of the preconditioner
};

/// LOBPCG [Knyazev 2001] within the M-complement of M-orthonormal `known` vectors, from `start`.
/// Its basis of approximations, last changes and preconditioned residuals is kept M-orthonormal,
/// the changes by the coefficients of the Ritz vectors [Hetmaniuk and Lehoucq 2006; Duersch, Shao,
/// Yang and Gu 2018], the residuals by singular values [Stathopoulos and Wu 2002]. Collective.
BlockSearchOutcome search_with_block(const BlockSearchOptions& options, const Pencil& pencil,
                                     ApproximateInverse<double>& preconditioner,
                                     const Diagonals& diagonals, HostColumns start,
                                     const HostColumns& known = {});

}  // namespace trestle::solver
