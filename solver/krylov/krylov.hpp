// KrylovMethod: what the Krylov methods have in common; each solves A x = r from x = 0.
#pragma once

#include <cmath>
#include <limits>

#include "solver/operator.hpp"
#include "solver/options.hpp"

namespace trestle::solver {

struct KrylovTarget {
  double tolerance = 1e-8;  // ||residual|| / ||r||, unpreconditioned, as the recurrence has it
  int max_iterations = 10000;
  int patience = 1000;  // iterations without a new smallest residual after which it gives up
  /// Iterations of GMRES after which it stops with too_slow where, at the pace of all of them so
  /// far, max_iterations would not do; 0 for never.
  int trial_iterations = 0;
};

/// Why and where a Krylov method stopped. `reason` is converged, max_iterations, stagnated,
/// too_slow, not_positive_definite, not_a_number or breakdown.
struct KrylovOutcome {
  Reason reason = Reason::max_iterations;
  int iterations = 0;
  double relative_residual = 1;
};

/// The owned entries of `x` for a kernel that reads them.
template <class Real>
gpu::View<const Real, 1> owned(const Vector<Real>& x) {
  return x.owned();
}

/// What stops an iteration in which `value`, a square of an energy norm, is not positive.
inline Reason reason_of(double value) {
  return std::isfinite(value) ? Reason::not_positive_definite : Reason::not_a_number;
}

/// Whether `target` cannot be reached at the pace of the first `iterations`.
inline bool is_too_slow(const KrylovTarget& target, int iterations, double relative_residual) {
  if (target.trial_iterations == 0 || iterations < target.trial_iterations) return false;
  return std::log(relative_residual) * target.max_iterations >
         std::log(target.tolerance) * iterations;
}

/// Tells when an iteration with short recurrences gains nothing any more.
class Progress {
 public:
  explicit Progress(int patience) : patience_(patience) {}
  /// Whether `patience` iterations up to this one brought no new smallest residual.
  bool stagnated(int iteration, double relative_residual) {
    if (relative_residual < best_) {
      best_ = relative_residual;
      best_at_ = iteration;
    }
    return iteration - best_at_ >= patience_;
  }

 private:
  int patience_;
  double best_ = std::numeric_limits<double>::infinity();
  int best_at_ = 0;
};

template <class Real>
class KrylovMethod {
 public:
  virtual ~KrylovMethod() = default;

  /// Solves A x = r. `r` is used up; `x` is overwritten and holds finite values whatever the
  /// reason, unless `r` was not finite. Collective.
  virtual KrylovOutcome solve(Vector<Real>& r, Vector<Real>& x, const KrylovTarget& target,
                              const IterationObserver& observer) = 0;
  /// "cg", "minres", "gmres", "bicgstab".
  virtual const char* name() const = 0;
};

}  // namespace trestle::solver
