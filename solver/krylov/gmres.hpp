// Gmres: restarted GMRES, preconditioned from the right, for every matrix that is not singular.
#pragma once

#include <vector>

#include "solver/krylov/krylov.hpp"

namespace trestle::solver {

/// FGMRES: it keeps the preconditioned vectors, so that the preconditioner may vary and the
/// residual is the unpreconditioned one [Saad 1993, SIAM J. Sci. Comput. 14:461]. Vectors are made
/// when first needed, up to 2 (restart + 1) of them.
template <class Real>
class Gmres final : public KrylovMethod<Real> {
 public:
  /// Keeps references to both.
  Gmres(const Operator<Real>& a, ApproximateInverse<Real>& m, int restart);

  /// Stops with stagnated when three cycles in a row reduce the residual by less than 1 %, and with
  /// too_slow as `target` says.
  /// Collective.
  KrylovOutcome solve(Vector<Real>& r, Vector<Real>& x, const KrylovTarget& target,
                      const IterationObserver& observer) override;
  const char* name() const override { return "gmres"; }

 private:
  struct Cycle;
  double orthogonalise(int k, Vector<Real>& w, std::vector<double>& column) const;
  void make_vectors(int k);

  const Operator<Real>& a_;
  ApproximateInverse<Real>& m_;
  int restart_;
  std::vector<Vector<Real>> basis_;     // v_0 .. v_k, orthonormal
  std::vector<Vector<Real>> searches_;  // z_k = M^-1 v_k
};

extern template class Gmres<float>;
extern template class Gmres<double>;

}  // namespace trestle::solver
