// Cg: preconditioned conjugate gradients for symmetric positive definite systems.
#pragma once

#include <vector>

#include "solver/krylov/krylov.hpp"

namespace trestle::solver {

/// [Saad 2003, alg. 9.1]; with `flexible` the direction is corrected for a preconditioner that is
/// not the same linear map each time, such as one in single precision [Notay 2000, SIAM J. Sci.
/// Comput. 22:1444]. Bytes of vectors per unknown and iteration in double, without product and
/// preconditioner: 96 (p.q 16, r and r.r 24, r.z 16, x and p 40), where one pass per operation
/// takes 112; with a preconditioner in float, its copies included, 120 of 152. Three messages.
template <class Real>
class Cg final : public KrylovMethod<Real> {
 public:
  /// Keeps references to both. Collective.
  Cg(const Operator<Real>& a, ApproximateInverse<Real>& m, bool flexible);

  /// Stops with not_positive_definite where p.Ap <= 0 or r.M^-1r <= 0. Collective.
  KrylovOutcome solve(Vector<Real>& r, Vector<Real>& x, const KrylovTarget& target,
                      const IterationObserver& observer) override;
  const char* name() const override { return "cg"; }

  /// Step lengths and direction factors of the last solve, from which eigenvalues of M^-1 A follow.
  const std::vector<double>& alphas() const { return alphas_; }
  const std::vector<double>& betas() const { return betas_; }

 private:
  /// z = M^-1 r; returns r.z and, where it is flexible, z.q.
  std::array<double, 2> products(const Vector<Real>& r, double norm);

  const Operator<Real>& a_;
  ApproximateInverse<Real>& m_;
  bool flexible_;
  Vector<Real> p_, q_, z_;
  std::vector<double> alphas_;
  std::vector<double> betas_;
};

extern template class Cg<float>;
extern template class Cg<double>;

/// Largest eigenvalue of the matrix that Lanczos saw in the last solve of `cg`, an estimate from
/// below of that of M^-1 A [Saad 2003, sec. 6.7.3]; 0 when it made no step.
double largest_ritz_value(const std::vector<double>& alphas, const std::vector<double>& betas);

}  // namespace trestle::solver
