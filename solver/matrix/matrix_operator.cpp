#include "solver/matrix/matrix_operator.hpp"

namespace trestle::solver {

template <class MatrixReal, class VectorReal>
MatrixOperator<MatrixReal, VectorReal>::MatrixOperator(
    std::shared_ptr<const BlockMatrix<MatrixReal>> matrix)
    : matrix_(std::move(matrix)) {
  const BlockMatrix<MatrixReal>& a = *matrix_;
  const IndexMap& map = *a.pattern().map;
  halo_ = std::make_unique<gpu::Halo>(a.device(), a.pattern().map, a.block());
  map.comm().agree([&] {
    const auto product = [&](gpu::View<const Offset, 1> offsets) {
      return std::make_unique<Product>(a.device(), map.n_owned(), a.block(), offsets, a.columns(),
                                       a.values().view(), map.n_local());
    };
    owned_ = product(a.owned_offsets());
    if (map.n_ghosts() > 0) ghost_ = product(a.ghost_offsets());
  });
}

template <class MatrixReal, class VectorReal>
void MatrixOperator<MatrixReal, VectorReal>::apply(Vector<VectorReal>& x,
                                                   Vector<VectorReal>& y) const {
  halo_->start(x.view());
  const Vector<VectorReal>& input = x;
  owned_->apply(input.view(), y.view(), false);
  halo_->finish(x.view());
  if (ghost_) ghost_->apply(input.view(), y.view(), true);
}

template class MatrixOperator<float, float>;
template class MatrixOperator<double, double>;
template class MatrixOperator<float, double>;

}  // namespace trestle::solver
