// A BlockMatrix as a PETSc matrix, with block size, symmetry and near-null space.
#pragma once

#include "solver/linear_solver.hpp"
#include "solver/matrix/block_matrix.hpp"
#include "solver/petsc/calls.hpp"

namespace trestle::solver {

/// The value of a count that PETSc takes; throws CaseError naming `what` where it does not fit its
/// integers.
PetscInt petsc_int(GlobalIndex value, const char* what);

/// AIJ, unknowns of a node together, rows as IndexMap::rows() times the block; every entry of a
/// stored block is kept. Collective.
PetscMat make_petsc_matrix(PetscCalls& calls, const BlockMatrix<double>& matrix,
                           const MatrixTraits& traits);

/// Puts the values of `matrix`, which has the pattern that `petsc` was made with, in the place of
/// its own. Collective.
void update_petsc_matrix(PetscCalls& calls, const BlockMatrix<double>& matrix,
                         const MatrixTraits& traits, const PetscMat& petsc);

/// A vector with the layout of the rows of `matrix`. Collective.
PetscVec make_petsc_vector(PetscCalls& calls, const PetscMat& matrix);

/// Orthonormalises the near-null vectors of `traits` and hands them to `matrix`; returns how many.
/// Collective.
int set_near_null_space(PetscCalls& calls, const IndexMap& map, const MatrixTraits& traits,
                        const PetscMat& matrix);

}  // namespace trestle::solver
