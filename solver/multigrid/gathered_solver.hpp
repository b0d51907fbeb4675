// GatheredSolver: a coarse level that every rank solves whole, for levels too small to be shared.
#pragma once

#include "solver/multigrid/hierarchy.hpp"

namespace trestle::solver {

/// Each rank keeps the rows of all and runs the same cycle on them, so that a solve needs one
/// exchange, of the right side, and no rank waits for another on the levels below.
template <class Real>
class GatheredSolver final : public CoarseSolver<Real> {
 public:
  /// Collective.
  GatheredSolver(const gpu::Device& device, const IndexMap& map, const BlockRowsOnHost& rows,
                 const NearNull& near_null);

  void solve(const Vector<Real>& b, Vector<Real>& x) override;
  const Hierarchy<Real>& hierarchy() const { return hierarchy_; }

 private:
  /// The rows and near-null vectors of all ranks, on a map of this rank alone.
  struct Whole {
    LevelMatrix matrix;
    NearNull near_null;
  };
  static Whole gather(const IndexMap& map, const BlockRowsOnHost& rows, const NearNull& near_null);
  GatheredSolver(const gpu::Device& device, Offset first_row, Whole whole);

  std::shared_ptr<const IndexMap> map_;
  Offset first_row_;  // of this rank in the whole
  Hierarchy<Real> hierarchy_;
  Vector<Real> b_, x_;
};

extern template class GatheredSolver<float>;
extern template class GatheredSolver<double>;

}  // namespace trestle::solver
