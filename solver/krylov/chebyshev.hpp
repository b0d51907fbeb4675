// Chebyshev: a polynomial in M^-1 A as a preconditioner, M the block Jacobi one.
#pragma once

#include <memory>

#include "solver/krylov/block_jacobi.hpp"
#include "solver/operator.hpp"

namespace trestle::solver {

/// Chebyshev polynomials of the fourth kind [Lottes 2023, Numer. Linear Algebra Appl. 30:e2518;
/// Phillips & Fischer 2022, arXiv:2210.03179]: they need no lower bound of the spectrum and stay
/// positive definite where the upper bound holds.
template <class Real>
class Chebyshev final : public ApproximateInverse<Real> {
 public:
  /// `degree` products with A, less one, in each application. Keeps a reference to `a`. Estimates
  /// the largest eigenvalue of M^-1 A by 12 Lanczos steps from a vector that depends on canonical
  /// ids only, and takes 1.1 of it. Collective.
  Chebyshev(const Operator<Real>& a, std::unique_ptr<BlockJacobi<Real>> jacobi, int degree);

  void apply(const Vector<Real>& r, double norm, Vector<Real>& z) override;
  std::string name() const override { return "chebyshev"; }
  /// The upper bound in use.
  double lambda_max() const { return lambda_max_; }

 private:
  const Operator<Real>& a_;
  std::unique_ptr<BlockJacobi<Real>> jacobi_;
  int degree_;
  double lambda_max_ = 1;
  Vector<Real> residual_, direction_, work_;
};

extern template class Chebyshev<float>;
extern template class Chebyshev<double>;

}  // namespace trestle::solver
