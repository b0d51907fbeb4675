#include "gpu/sparse.hpp"

#include <limits>

#include "core/error.hpp"
#include "gpu/block_lanes.hpp"
#include "gpu/cusparse.hpp"
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
  if constexpr (std::is_same_v<MatrixReal, VectorReal>)
    if (a.block == 3 && device.kind() != DeviceKind::cuda)
      return multiply_in_lanes(device, a, x, y, add);
  switch (a.block) {
    case 1:
      return run_rows<1>(device, a, x, y, add);
    case 2:
      return run_rows<2>(device, a, x, y, add);
    case 3:
      return run_rows<3>(device, a, x, y, add);
    case 4:
      return run_rows<4>(device, a, x, y, add);
    default:
      return run_rows<6>(device, a, x, y, add);
  }
}

struct NarrowOffset {
  View<const Offset, 1> from;
  View<Index, 1> to;
  TRESTLE_KERNEL void operator()(Offset i) const { to[i] = static_cast<Index>(from[i]); }
};

/// cuSPARSE takes matrices of a card whose entries are counted from 0 with 32 bits.
template <class Real>
std::unique_ptr<CusparseProduct> try_cusparse(const Device& device, const BlockRows<Real>& a) {
  if (device.kind() != DeviceKind::cuda || a.n_rows == 0) return nullptr;
  Offset ends[2];
  device.copy_to_host(&ends[0], a.offsets.data(), sizeof(Offset));
  device.copy_to_host(&ends[1], a.offsets.data() + a.n_rows, sizeof(Offset));
  device.synchronize();
  if (ends[0] != 0 || ends[1] == 0 || ends[1] > std::numeric_limits<Index>::max()) return nullptr;
  Array<Index> offsets(device, a.n_rows + 1, "matrix", Memory::device);
  for_each(device, offsets.size(), NarrowOffset{a.offsets, offsets.view()});
  BlockRows<Real> part = a;
  part.columns = View<const Index, 1>(a.columns.data(), ends[1]);
  return make_cusparse_product(device, part, std::move(offsets));
}

}  // namespace

template <class MatrixReal, class VectorReal>
SparseProduct<MatrixReal, VectorReal>::SparseProduct(const Device& device,
                                                     const BlockRows<MatrixReal>& matrix,
                                                     ProductChoice choice)
    : device_(device), matrix_(matrix) {
  const int b = matrix.block;
  require(b == 1 || b == 2 || b == 3 || b == 4 || b == 6, ExitCode::bug,
          "a sparse product has blocks of 1, 2, 3, 4 or 6, not " + std::to_string(b));
  if constexpr (std::is_same_v<MatrixReal, VectorReal>)
    if (choice == ProductChoice::best) cusparse_ = try_cusparse(device, matrix);
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
  if (cusparse_)
    cusparse_->apply(x.data(), y.data(), add);
  else
    run_own_product(device_, matrix_, x, y, add);
}

template <class MatrixReal, class VectorReal>
std::string SparseProduct<MatrixReal, VectorReal>::algorithm() const {
  return cusparse_ ? cusparse_->algorithm() : "own";
}

template class SparseProduct<float, float>;
template class SparseProduct<double, double>;
template class SparseProduct<float, double>;

}  // namespace trestle::gpu
