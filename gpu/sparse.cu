#include "gpu/sparse.hpp"

#include "core/error.hpp"
#include "gpu/for_each.hpp"
#include "gpu/sparse_rows.hpp"

namespace trestle::gpu {
namespace {

template <int block, class MatrixReal, class VectorReal>
void run_rows(const Device& device, const BlockRows<MatrixReal>& a, View<const VectorReal, 1> x,
              View<VectorReal, 1> y, bool add) {
  if (add)
    for_each(
        device, a.n_rows,
        BlockRowProduct<block, true, MatrixReal, VectorReal>{a.offsets, a.columns, a.values, x, y});
  else
    for_each(device, a.n_rows,
             BlockRowProduct<block, false, MatrixReal, VectorReal>{a.offsets, a.columns, a.values,
                                                                   x, y});
}

template <class MatrixReal, class VectorReal>
void run_own_product(const Device& device, const BlockRows<MatrixReal>& a,
                     View<const VectorReal, 1> x, View<VectorReal, 1> y, bool add) {
  switch (a.block) {
    case 1:
      return run_rows<1>(device, a, x, y, add);
    case 2:
      return run_rows<2>(device, a, x, y, add);
    case 3:
      return run_rows<3>(device, a, x, y, add);
    default:
      return run_rows<6>(device, a, x, y, add);
  }
}

}  // namespace

template <class MatrixReal, class VectorReal>
class SparseProduct<MatrixReal, VectorReal>::Cusparse {};

template <class MatrixReal, class VectorReal>
SparseProduct<MatrixReal, VectorReal>::SparseProduct(const Device& device,
                                                     const BlockRows<MatrixReal>& matrix)
    : device_(device), matrix_(matrix) {
  const int b = matrix.block;
  require(b == 1 || b == 2 || b == 3 || b == 6, ExitCode::bug,
          "a sparse product has blocks of 1, 2, 3 or 6, not " + std::to_string(b));
}

template <class MatrixReal, class VectorReal>
SparseProduct<MatrixReal, VectorReal>::~SparseProduct() = default;
template <class MatrixReal, class VectorReal>
SparseProduct<MatrixReal, VectorReal>::SparseProduct(SparseProduct&&) noexcept = default;
template <class MatrixReal, class VectorReal>
SparseProduct<MatrixReal, VectorReal>& SparseProduct<MatrixReal, VectorReal>::operator=(
    SparseProduct&&) noexcept = default;

template <class MatrixReal, class VectorReal>
void SparseProduct<MatrixReal, VectorReal>::apply(View<const VectorReal, 1> x,
                                                  View<VectorReal, 1> y, bool add) const {
  run_own_product(device_, matrix_, x, y, add);
}

template <class MatrixReal, class VectorReal>
std::string SparseProduct<MatrixReal, VectorReal>::algorithm() const {
  return "own";
}

template class SparseProduct<float, float>;
template class SparseProduct<double, double>;
template class SparseProduct<float, double>;

}  // namespace trestle::gpu
