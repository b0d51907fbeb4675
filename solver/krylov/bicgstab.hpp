// Bicgstab: stabilised bi-conjugate gradients, with short recurrences for unsymmetric matrices.
#pragma once

#include "solver/krylov/krylov.hpp"

namespace trestle::solver {

/// [van der Vorst 1992, SIAM J. Sci. Stat. Comput. 13:631], preconditioned from the right, so that
/// the residual is the unpreconditioned one; an iteration has two products. It may break down where
/// GMRES does not, and takes six vectors whatever the iterations. Bytes of vectors per unknown and
/// iteration in double: 152 (p 32, v.shadow and v.v 16, r and r.r 24, t.r and t.t 16, the rest 64);
/// four messages.
template <class Real>
class Bicgstab final : public KrylovMethod<Real> {
 public:
  /// Keeps references to both. Collective.
  Bicgstab(const Operator<Real>& a, ApproximateInverse<Real>& m);

  /// Stops with breakdown where one of its quotients is all rounding, or where the residual has
  /// grown by 1e8. Collective.
  KrylovOutcome solve(Vector<Real>& r, Vector<Real>& x, const KrylovTarget& target,
                      const IterationObserver& observer) override;
  const char* name() const override { return "bicgstab"; }

 private:
  const Operator<Real>& a_;
  ApproximateInverse<Real>& m_;
  Vector<Real> shadow_;  // what residuals are made orthogonal to: the first one
  Vector<Real> p_, v_;   // direction, A M^-1 p
  Vector<Real> y_, z_;   // M^-1 p, M^-1 r of the half step
  Vector<Real> t_;       // A z
};

extern template class Bicgstab<float>;
extern template class Bicgstab<double>;

}  // namespace trestle::solver
