#include "solver/multigrid/dense_solver.hpp"

#include "gpu/for_each.hpp"
#include "solver/multigrid/dense_inverse.hpp"

namespace trestle::solver {
namespace {

using gpu::View;

/// x_i = sum_j A_ij b_j, A symmetric: neighbouring threads of a card read along j, a processor
/// along i.
template <class Real, bool on_card>
struct DenseRow {
  View<const Real, 2> a;
  View<const Real, 1> b;
  View<Real, 1> x;
  TRESTLE_KERNEL void operator()(Offset i) const {
    constexpr int width = 8;
    const Offset n = a.extent(0);
    Real partial[width] = {};
    const Offset whole = n / width * width;
    for (Offset j = 0; j < whole; j += width)
      for (int k = 0; k < width; ++k) partial[k] += (on_card ? a(j + k, i) : a(i, j + k)) * b[j + k];
    Real sum = 0;
    for (Offset j = whole; j < n; ++j) sum += (on_card ? a(j, i) : a(i, j)) * b[j];
    for (int k = 0; k < width; ++k) sum += partial[k];
    x[i] = sum;
  }
};

std::vector<double> dense_of(const BlockRowsOnHost& rows) {
  const auto block = static_cast<std::size_t>(rows.row_block);
  const std::size_t n = static_cast<std::size_t>(rows.n_rows()) * block;
  std::vector<double> dense(n * n, 0.0);
  for (Index row = 0; row < rows.n_rows(); ++row)
    rows.visit_row(row, [&](Offset e, Index column) {
      for (std::size_t i = 0; i < block; ++i)
        for (std::size_t j = 0; j < block; ++j)
          dense[(static_cast<std::size_t>(row) * block + i) * n +
                static_cast<std::size_t>(column) * block + j] = rows.block(e)[i * block + j];
    });
  return dense;
}

}  // namespace

template <class Real>
DenseSolver<Real>::DenseSolver(const gpu::Device& device, const BlockRowsOnHost& rows)
    : inverse_(device, 0, "multigrid coarse") {
  const int n = rows.n_rows() * rows.row_block;
  const DenseInverse inverse = invert_symmetric(dense_of(rows), n);
  if (inverse.n_zero > 0)
    remark_ = std::to_string(inverse.n_zero) + " motions of the coarsest level have no stiffness";
  if (inverse.n_negative > 0)
    remark_ = "the coarsest level has " + std::to_string(inverse.n_negative) +
              " negative eigenvalues: the matrix is not positive definite";
  inverse_ = gpu::upload(device, std::vector<Real>(inverse.values.begin(), inverse.values.end()),
                         "multigrid coarse");
}

template <class Real>
void DenseSolver<Real>::solve(const Vector<Real>& b, Vector<Real>& x) {
  const gpu::Device& device = b.device();
  const gpu::Array<Real>& inverse = inverse_;
  const View<const Real, 2> a(inverse.data(), b.n_owned(), b.n_owned());
  if (device.kind() == gpu::DeviceKind::cuda)
    gpu::for_each(device, b.n_owned(), DenseRow<Real, true>{a, b.owned(), x.owned()});
  else
    gpu::for_each(device, b.n_owned(), DenseRow<Real, false>{a, b.owned(), x.owned()});
}

template class DenseSolver<float>;
template class DenseSolver<double>;

}  // namespace trestle::solver
