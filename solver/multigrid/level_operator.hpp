// LevelOperator: the matrix of one level of a hierarchy, with its halo.
#pragma once

#include <memory>

#include "gpu/halo.hpp"
#include "solver/multigrid/sell_matrix.hpp"
#include "solver/operator.hpp"

namespace trestle::solver {

template <class Real>
class LevelOperator final : public Operator<Real> {
 public:
  /// Collective.
  LevelOperator(std::shared_ptr<const IndexMap> map, SellMatrix<Real> matrix)
      : map_(std::move(map)),
        matrix_(std::move(matrix)),
        halo_(std::make_unique<gpu::Halo>(matrix_.device(), map_, matrix_.row_block())) {}

  void apply(Vector<Real>& x, Vector<Real>& y) const override {
    update_ghosts(x);
    const Vector<Real>& input = x;
    matrix_.apply(input.view(), y.view());
  }
  /// Queued. Collective.
  void update_ghosts(Vector<Real>& x) const { halo_->update(x.view()); }

  const SellMatrix<Real>& matrix() const { return matrix_; }
  SellMatrix<Real>& matrix() { return matrix_; }
  const gpu::Device& device() const override { return matrix_.device(); }
  const std::shared_ptr<const IndexMap>& shared_map() const override { return map_; }
  int block() const override { return matrix_.row_block(); }

 private:
  std::shared_ptr<const IndexMap> map_;
  SellMatrix<Real> matrix_;
  std::unique_ptr<gpu::Halo> halo_;
};

}  // namespace trestle::solver
