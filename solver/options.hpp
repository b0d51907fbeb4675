// What a case may say about the solution of linear systems, who hears of it, and what is reported
// of one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace trestle::solver {

enum class Method { automatic, cg, minres, gmres, bicgstab, petsc, direct };
enum class Preconditioner { automatic, none, jacobi, chebyshev, amg };
enum class Precision { double_, mixed, single };

/// Called on all ranks between the parts of a set-up, such as the levels of multigrid. What it
/// throws ends the set-up, and what was set up is of no use then.
using SetUpObserver = std::function<void()>;

struct SolverOptions {
  Method method = Method::automatic;
  Preconditioner preconditioner = Preconditioner::automatic;
  Precision precision = Precision::double_;
  double tolerance =
      1e-8;  // ||b - A x|| / ||b||, unpreconditioned, computed in double after the solve
  int max_iterations = 10000;
  int restart = 30;                        // of GMRES
  std::vector<std::string> petsc_options;  // "-ksp_type", "cg" ... for method petsc
  SetUpObserver set_up_observer;           // not of the case
};

enum class Reason {
  converged,           // true residual within the tolerance
  converged_backward,  // backward error <= 1e-14 where a solve in double stagnates
  zero_right_side,
  max_iterations,
  stagnated,
  too_slow,
  not_positive_definite,
  not_a_number,
  breakdown,
  singular,
  preconditioner_failed,
};
const char* to_string(Reason reason);
const char* to_string(Method method);
const char* to_string(Precision precision);

/// A level of a multigrid hierarchy, the finest first.
struct MultigridLevel {
  GlobalIndex unknowns = 0;
  GlobalIndex entries = 0;  // values stored in its matrix
};

/// What happened in one solve. Not converging is a result, never silent.
struct [[nodiscard]] SolveResult {
  Reason reason = Reason::max_iterations;
  bool converged = false;
  std::string method;          // "cg", "minres", "gmres", "bicgstab", "petsc", "direct"
  std::string preconditioner;  // "block_jacobi", "chebyshev", "amg", "gamg" ...
  std::string precision;       // "double", "mixed", "single"; what was really used
  std::string choice;          // for `auto`: what was taken and why; fallbacks with their reasons
  std::string message;         // one sentence for a person when it did not converge
  int iterations = 0;
  double true_relative_residual = 0;  // ||b - A x|| / ||b|| in double
  double backward_error = 0;          // ||b - A x|| / || |A||x| + |b| ||
  double last_correction =
      0;                // relative to x, of those by exact residuals where rounding is the limit
  int zero_pivots = 0;  // of a direct solve: above 0 the matrix is singular, x one of many
  int near_null_vectors = 0;           // handed to the preconditioner
  std::vector<MultigridLevel> levels;  // of the own multigrid
  std::vector<double> history;         // relative residual of each iteration, as the method sees it
  double setup_s = 0;                  // set-up since the result before, so that the sum is right
  double solve_s = 0;
};

/// Called after each iteration with its number and relative residual; only records.
using IterationObserver = std::function<void(int iteration, double relative_residual)>;

}  // namespace trestle::solver
