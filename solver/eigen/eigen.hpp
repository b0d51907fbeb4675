// Lowest eigenvalues of K x = lambda M x, with a proof that none is missing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solver/linear_solver.hpp"
#include "solver/matrix/block_matrix.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::solver {

enum class EigenMethod { shift_invert, lobpcg };

struct EigenOptions {
  /// `lobpcg` finds the lowest modes only, and looks neither at `lower` nor at `shift`.
  EigenMethod method = EigenMethod::shift_invert;
  int modes = 10;  // at most as many, the lowest (those nearest to `shift` where it is given)
  std::optional<double> lower, upper;  // only eigenvalues in [lower, upper]
  std::optional<double> shift;         // where the inverse is taken; by default chosen
  double tolerance = 1e-8;             // ||K x - lambda M x|| / ||K x||
  int max_restarts = 500;              // of Krylov-Schur
  int max_iterations = 500;            // of LOBPCG
  bool may_factor = true;              // whether LOBPCG may count modes where they are few enough
  /// Called with the number of the application of (K - shift M)^-1 and 0, of LOBPCG with that of
  /// the iteration and the largest residual of the modes asked for; what it throws on all ranks
  /// alike ends the search.
  IterationObserver observer;
};

enum class EigenReason {
  converged,
  no_mass,         // M is zero: there are no modes
  not_factored,    // K - shift M could not be factored
  max_restarts,    // Krylov-Schur found fewer modes than asked for
  max_iterations,  // as LOBPCG did
  incomplete,      // the inertia of K - x M says that modes are missing
  large_residual,  // a mode does not fulfil its equation
  breakdown,       // of the method
};
const char* to_string(EigenReason reason);

struct Mode {
  double eigenvalue = 0;
  bool zero = false;          // an eigenvalue of 0 up to rounding: a motion without energy
  double residual = 0;        // ||K x - lambda M x|| / ||K x||, for zero modes the backward error
  double backward_error = 0;  // ||K x - lambda M x|| / || |K||x| + lambda |M||x| ||
  Vector<double> shape;       // x' M x = 1; ghosts are up to date
};

/// What was found. Not converging is a result, never silent.
struct [[nodiscard]] EigenResult {
  EigenReason reason = EigenReason::breakdown;
  bool converged = false;
  std::string message;      // one sentence for a person when it did not converge
  std::vector<Mode> modes;  // ascending
  EigenMethod method = EigenMethod::shift_invert;  // that was used
  double shift = 0;        // that was used; of LOBPCG that of the preconditioner
  std::string choice;      // why this shift
  bool complete = false;   // the inertia of K - x M agrees with the number of modes found
  GlobalIndex n_free = 0;  // unknowns with mass
  int restarts = 0;
  int iterations = 0;    // of LOBPCG
  int applications = 0;  // of (K - shift M)^-1, or of a preconditioner
  int factorisations = 0;
  double setup_s = 0;  // factorisations
  double solve_s = 0;
};

/// The modes of symmetric K (positive semidefinite) and M (positive semidefinite), which share a
/// pattern. Where M has a row of zeros K has its diagonal alone: such directions are no modes.
///
/// Krylov-Schur on the shift-inverted problem [Stewart 2001; Ericsson and Ruhe 1980] by SLEPc, with
/// the inverse by MUMPS. The shift is 0 where K is positive definite, else a small negative one.
/// The number of modes is checked against the inertia of K - x M beyond the last of them
/// [Sylvester; Parlett 1998, sec. 3.3]; missing ones are searched for beside those that are known.
/// Modes are M-orthonormal. Those of equal eigenvalues are turned to a basis that does not depend
/// on the way it was found; the largest component of a mode (of equal ones that of the lowest
/// canonical id) is positive. `traits` tell rigid-body modes.
///
/// `lobpcg` needs no factors: solver/eigen/lobpcg.hpp. Modes are then counted only where there are
/// few unknowns; else a second search tells that none is lower.
///
/// Throws Error on all ranks: 81 when a matrix holds a value that is not finite, 71 for lack of
/// memory. Collective.
EigenResult solve_eigen(const EigenOptions& options, std::shared_ptr<const BlockMatrix<double>> K,
                        std::shared_ptr<const BlockMatrix<double>> M, const MatrixTraits& traits);

}  // namespace trestle::solver
