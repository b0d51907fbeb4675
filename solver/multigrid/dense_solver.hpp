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
  /// What was found beyond the rule, or "".
  const std::string& remark() const { return remark_; }

 private:
  std::string remark_;
  gpu::Array<Real> inverse_;  // [n, n]
};

extern template class DenseSolver<float>;
extern template class DenseSolver<double>;

}  // namespace trestle::solver
