// Smoother: a polynomial in D^-1 A that damps what a coarser level cannot see.
#pragma once

#include "solver/krylov/block_jacobi.hpp"
#include "solver/multigrid/level_operator.hpp"

namespace trestle::solver {

/// Chebyshev polynomials of the fourth kind with the weights that are best for a cycle, over block
/// Jacobi: they need the largest eigenvalue only [Lottes 2023, Numer. Linear Algebra Appl.
/// 30:e2518, algorithm 3 and table 1]. Symmetric in the sense of conjugate gradients.
template <class Real>
class Smoother {
 public:
  static constexpr int degree = 2;

  /// Keeps a reference to `a`. Estimates the largest eigenvalue of D^-1 A. Collective.
  Smoother(const LevelOperator<Real>& a, BlockJacobi<Real> jacobi);
  /// The same for other values of `a`. Collective.
  void update(BlockJacobi<Real> jacobi);

  /// x = S b, from a guess of zero: one product. Queued. Collective.
  void smooth_zero(const Vector<Real>& b, Vector<Real>& x);
  /// x += S (b - A x): two products. Queued. Collective.
  void smooth(const Vector<Real>& b, Vector<Real>& x);
  /// b - A x with its ghosts, in memory of the smoother. Queued. Collective.
  const Vector<Real>& residual(const Vector<Real>& b, Vector<Real>& x);

  double lambda_max() const { return lambda_max_; }

 private:
  /// Steps 2 to `degree`; `r` is the residual before them and may be that of the smoother.
  void later_steps(const Vector<Real>& r, Vector<Real>& x, bool start);

  const LevelOperator<Real>& a_;
  BlockJacobi<Real> jacobi_;
  Vector<Real> residual_, direction_, next_;
  double lambda_max_ = 1;
};

extern template class Smoother<float>;
extern template class Smoother<double>;

}  // namespace trestle::solver
