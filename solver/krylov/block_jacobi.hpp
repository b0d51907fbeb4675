// BlockJacobi: the inverses of the diagonal blocks, the preconditioner of one node at a time.
#pragma once

#include "solver/matrix/block_matrix.hpp"
#include "solver/operator.hpp"

namespace trestle::solver {

/// Where a diagonal block has no inverse its diagonal entries take its place, and 1 where such an
/// entry is zero or not stored.
template <class Real>
class BlockJacobi final : public ApproximateInverse<Real> {
 public:
  /// Inverses are computed in double and stored as `Real`.
  template <class MatrixReal>
  explicit BlockJacobi(const BlockMatrix<MatrixReal>& matrix);
  /// With the inverses at hand.
  BlockJacobi(int block, gpu::Array<Real> inverses)
      : block_(block), inverses_(std::move(inverses)) {}

  void apply(const Vector<Real>& r, double norm, Vector<Real>& z) override;
  gpu::View<const Real, 1> inverses() const { return inverses_.view(); }
  std::string name() const override { return block_ == 1 ? "jacobi" : "block_jacobi"; }

 private:
  int block_;
  gpu::Array<Real> inverses_;  // [owned node, block, block]
};

extern template class BlockJacobi<float>;
extern template class BlockJacobi<double>;
extern template BlockJacobi<float>::BlockJacobi(const BlockMatrix<float>&);
extern template BlockJacobi<float>::BlockJacobi(const BlockMatrix<double>&);
extern template BlockJacobi<double>::BlockJacobi(const BlockMatrix<double>&);

}  // namespace trestle::solver
