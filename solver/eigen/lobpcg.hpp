// LOBPCG: the lowest modes without factors, by conjugate gradients on a block of vectors.
#pragma once

#include <memory>

#include "solver/eigen/eigen.hpp"

namespace trestle::solver {

/// Whether the free unknowns are so many that the search for so many modes has room among them.
/// Collective.
bool has_room_for_lobpcg(const EigenOptions& options, const BlockMatrix<double>& K,
                         const BlockMatrix<double>& M);

/// The lowest modes by LOBPCG [Knyazev 2001], preconditioned with the own multigrid of K + s M;
/// s is 0 where `traits` leave no rigid motion free, else far below the modes. Its basis of
/// approximations, last changes and preconditioned residuals is kept M-orthonormal, the changes by
/// the coefficients of the Ritz vectors [Hetmaniuk and Lehoucq 2006; Duersch, Shao, Yang and Gu
/// 2018], the residuals by singular values [Stathopoulos and Wu 2002]. A few more modes than asked
/// for are iterated along: the gap behind them sets the pace. Starts from near-null vectors and
/// from numbers that depend on canonical ids alone. Throws as `solve_eigen`. Collective.
EigenResult solve_by_lobpcg(const EigenOptions& options,
                            std::shared_ptr<const BlockMatrix<double>> K,
                            std::shared_ptr<const BlockMatrix<double>> M,
                            const MatrixTraits& traits);

}  // namespace trestle::solver
