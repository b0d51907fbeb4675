// DenseSolver: the coarsest level of one rank by its inverse.
#pragma once

#include "solver/multigrid/block_rows.hpp"
#include "solver/multigrid/coarse_solver.hpp"

namespace trestle::solver {

template <class Real>
class DenseSolver final : public CoarseSolver<Real> {
 public:
  /// Throws NumericalError (80) as `invert_symmetric` does.
  DenseSolver(const gpu::Device& device, const BlockRowsOnHost& rows);

  void solve(const Vector<Real>& b, Vector<Real>& x) override;
  /// Eigenvalues of the level that were taken for zero.
  int n_dropped() const { return n_dropped_; }

 private:
  int n_dropped_ = 0;
  gpu::Array<Real> inverse_;  // [n, n]
};

extern template class DenseSolver<float>;
extern template class DenseSolver<double>;

}  // namespace trestle::solver
