// LOBPCG: the lowest modes without factors, by conjugate gradients on a block of vectors.
#pragma once

#include <memory>

#include "solver/eigen/eigen.hpp"
#include "solver/eigen/krylov.hpp"

namespace trestle::solver {

/// Whether the free unknowns are so many that the search for so many modes has room among them.
/// Collective.
bool has_room_for_lobpcg(const EigenOptions& options, const BlockMatrix<double>& K,
                         const BlockMatrix<double>& M);

/// The lowest modes by LOBPCG (block_search.hpp), preconditioned with the own multigrid of K + s M;
/// s is 0 where `traits` leave no rigid motion free, else far below the modes. A few more modes
/// than asked for are iterated along: the gap behind them sets the pace. Starts from near-null
/// vectors and from numbers that depend on canonical ids alone, or from `start`.
///
/// A second search from other numbers, in the complement of the modes found, tells whether a lower
/// one was missed; it is then taken into the block. Where the unknowns are few enough for factors
/// (direct_limit) the inertia of K - x M counts the modes as well. Throws as `solve_eigen`.
/// Collective.
EigenResult solve_by_lobpcg(const EigenOptions& options,
                            std::shared_ptr<const BlockMatrix<double>> K,
                            std::shared_ptr<const BlockMatrix<double>> M,
                            const MatrixTraits& traits, HostColumns start = {});

}  // namespace trestle::solver
