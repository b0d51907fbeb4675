// Minres: minimal residuals with a three-term recurrence, for symmetric matrices of any sign.
#pragma once

#include "solver/krylov/krylov.hpp"

namespace trestle::solver {

/// [Paige & Saunders 1975, SIAM J. Numer. Anal. 12:617], preconditioned by a symmetric positive
/// definite M^-1 [Elman, Silvester & Wathen 2014, alg. 4.1]: it minimises the residual in the norm
/// of M^-1. The residual itself is carried along, r_k = s_k^2 r_(k-1) - (eta_k c_k / rho_k)
/// v_(k+1), so that the iteration stops by its unpreconditioned norm as the other methods do; that
/// holds for a preconditioner in float too, which is only as good as its symmetry. Bytes of vectors
/// per unknown and iteration in double: 136 (z.Az 16, Lanczos vector 32, v.z 16, the rest 72);
/// three messages.
template <class Real>
class Minres final : public KrylovMethod<Real> {
 public:
  /// Keeps references to both. Collective.
  Minres(const Operator<Real>& a, ApproximateInverse<Real>& m);

  /// Stops with not_positive_definite where r.M^-1r <= 0 (of the preconditioner), with breakdown
  /// where the Krylov space ends before a solution: the matrix is singular. Collective.
  KrylovOutcome solve(Vector<Real>& r, Vector<Real>& x, const KrylovTarget& target,
                      const IterationObserver& observer) override;
  const char* name() const override { return "minres"; }

 private:
  struct Recurrence;
  void start(const Vector<Real>& r, Vector<Real>& x);

  const Operator<Real>& a_;
  ApproximateInverse<Real>& m_;
  Vector<Real> v_, v_before_;    // Lanczos vectors, gamma times those of norm 1
  Vector<Real> z_, z_next_, q_;  // M^-1 v, that of the next v, A z
  Vector<Real> w_, w_before_;    // search directions
};

extern template class Minres<float>;
extern template class Minres<double>;

}  // namespace trestle::solver
