// MatrixOperator: y = A x of a BlockMatrix, with the halo exchange hidden behind the owned columns.
#pragma once

#include <memory>

#include "gpu/halo.hpp"
#include "gpu/sparse.hpp"
#include "solver/matrix/block_matrix.hpp"
#include "solver/operator.hpp"

namespace trestle::solver {

/// Matrices in float may act on vectors in double: products are then formed in double.
template <class MatrixReal, class VectorReal = MatrixReal>
class MatrixOperator final : public Operator<VectorReal> {
 public:
  /// Collective.
  explicit MatrixOperator(std::shared_ptr<const BlockMatrix<MatrixReal>> matrix);

  void apply(Vector<VectorReal>& x, Vector<VectorReal>& y) const override;
  /// Brings the ghosts of x up to date. Collective.
  void update_ghosts(Vector<VectorReal>& x) const { halo_->update(x.view()); }

  const BlockMatrix<MatrixReal>& matrix() const { return *matrix_; }
  const gpu::Device& device() const override { return matrix_->device(); }
  const std::shared_ptr<const IndexMap>& shared_map() const override {
    return matrix_->pattern().map;
  }
  int block() const override { return matrix_->block(); }

 private:
  using Product = gpu::SparseProduct<MatrixReal, VectorReal>;
  std::shared_ptr<const BlockMatrix<MatrixReal>> matrix_;
  std::unique_ptr<gpu::Halo> halo_;
  std::unique_ptr<Product> owned_;  // owned columns
  std::unique_ptr<Product> ghost_;  // ghost columns
};

extern template class MatrixOperator<float, float>;
extern template class MatrixOperator<double, double>;
extern template class MatrixOperator<float, double>;

}  // namespace trestle::solver
