// PETSc's Krylov methods, multigrid and MUMPS as inner solvers.
#pragma once

#include <memory>

#include "solver/inner_solver.hpp"
#include "solver/linear_solver.hpp"
#include "solver/matrix/block_matrix.hpp"

namespace trestle::solver {

/// Tokens of PETSc options for one solver: "-ksp_type", "cg" ...
using PetscTokens = std::vector<std::string>;

/// CG (GMRES where the matrix is not symmetric positive definite) with smoothed aggregation, the
/// base that `petsc_options` may change.
PetscTokens gamg_tokens(const MatrixTraits& traits);
/// CG with classical multigrid of hypre.
PetscTokens hypre_tokens();
/// GMRES with incomplete factors of each rank's rows, without fill.
PetscTokens ilu_tokens(int restart);

/// Sets up PETSc with `base` and then `user` options, which win. Options that PETSc does not use,
/// that print or that name files are CaseErrors (78) naming them. Near-null vectors of `traits` go
/// to the preconditioner. Throws what PetscCalls::check throws. Collective.
std::unique_ptr<InnerSolver> make_petsc_solver(std::shared_ptr<const BlockMatrix<double>> matrix,
                                               const MatrixTraits& traits, const PetscTokens& base,
                                               const PetscTokens& user);

/// MUMPS: L D L' of a symmetric matrix, L U of any other. Zero pivots are counted: `remark` names
/// their number, and the reason is `singular`. Collective.
std::unique_ptr<InnerSolver> make_direct_solver(std::shared_ptr<const BlockMatrix<double>> matrix,
                                                const MatrixTraits& traits);

}  // namespace trestle::solver
