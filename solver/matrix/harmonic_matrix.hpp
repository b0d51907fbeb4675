// The matrix of a harmonic response: complex unknowns as pairs of real ones.
#pragma once

#include "solver/matrix/block_matrix.hpp"

namespace trestle::solver {

/// A + iB = K - omega^2 M + i (omega (c M + b K) + eta K).
struct HarmonicFactors {
  double omega = 0;              // [1/s]
  double mass_damping = 0;       // c [1/s]
  double stiffness_damping = 0;  // b [s]
  double loss_factor = 0;        // eta
};

/// (A + iB) (u + iv) = f + ig as the symmetric system [A -B; -B -A] [u; v] = [f; -g]: at each node
/// the components of u stand before those of v. `system` has the pattern of K and M, and blocks of
/// twice their size. Queued.
void make_harmonic_matrix(const BlockMatrix<double>& K, const BlockMatrix<double>& M,
                          const HarmonicFactors& factors, BlockMatrix<double>& system);

}  // namespace trestle::solver
