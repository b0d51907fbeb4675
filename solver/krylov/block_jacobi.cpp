#include "solver/krylov/block_jacobi.hpp"

#include "solver/matrix/block_kernels.hpp"

namespace trestle::solver {

template <class Real>
template <class MatrixReal>
BlockJacobi<Real>::BlockJacobi(const BlockMatrix<MatrixReal>& matrix)
    : block_(matrix.block()),
      inverses_(matrix.device(),
                static_cast<Offset>(matrix.pattern().map->n_owned()) * block_ * block_,
                "preconditioner") {
  invert_diagonal<MatrixReal, Real>(matrix.device(), matrix.owned_rows(), inverses_.view());
}

template <class Real>
void BlockJacobi<Real>::apply(const Vector<Real>& r, double, Vector<Real>& z) {
  const gpu::Array<Real>& inverses = inverses_;
  apply_blocks<Real>(r.device(), block_, inverses.view(), r.owned(), z.owned());
}

template class BlockJacobi<float>;
template class BlockJacobi<double>;
template BlockJacobi<float>::BlockJacobi(const BlockMatrix<float>&);
template BlockJacobi<float>::BlockJacobi(const BlockMatrix<double>&);
template BlockJacobi<double>::BlockJacobi(const BlockMatrix<double>&);

}  // namespace trestle::solver
