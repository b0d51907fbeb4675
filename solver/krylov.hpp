// KrylovMethod: what CG and GMRES have in common; each solves A x = r from x = 0.
#pragma once

#include "solver/operator.hpp"
#include "solver/options.hpp"

namespace trestle::solver {

struct KrylovTarget {
  double tolerance = 1e-8;  // ||residual|| / ||r||, unpreconditioned, as the recurrence has it
  int max_iterations = 10000;
  int patience = 1000;  // iterations without a new smallest residual after which it gives up
};

/// Why and where a Krylov method stopped. `reason` is converged, max_iterations, stagnated,
/// not_positive_definite, not_a_number or breakdown.
struct KrylovOutcome {
  Reason reason = Reason::max_iterations;
  int iterations = 0;
  double relative_residual = 1;
};

template <class Real>
class KrylovMethod {
 public:
  virtual ~KrylovMethod() = default;

  /// Solves A x = r. `r` is used up; `x` is overwritten and holds finite values whatever the
  /// reason, unless `r` was not finite. Collective.
  virtual KrylovOutcome solve(Vector<Real>& r, Vector<Real>& x, const KrylovTarget& target,
                              const IterationObserver& observer) = 0;
  /// "cg", "gmres".
  virtual const char* name() const = 0;
};

}  // namespace trestle::solver
