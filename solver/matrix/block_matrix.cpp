#include "solver/matrix/block_matrix.hpp"

#include "gpu/vector_ops.hpp"

namespace trestle::solver {

template <class Real>
BlockMatrix<Real>::BlockMatrix(const gpu::Device& device, std::shared_ptr<const Pattern> pattern,
                               int block)
    : pattern_(std::move(pattern)),
      block_(block),
      on_device_(std::make_shared<const DevicePattern>(
          DevicePattern{{device, std::span(pattern_->owned_offsets), "matrix"},
                        {device, std::span(pattern_->ghost_offsets), "matrix"},
                        {device, std::span(pattern_->columns), "matrix"}})),
      values_(device, pattern_->n_entries() * block * block, "matrix") {
  gpu::fill(device, values_.view(), 0);
}

template <class Real>
template <class Other>
BlockMatrix<Real>::BlockMatrix(const BlockMatrix<Other>& other)
    : pattern_(other.pattern_),
      block_(other.block_),
      on_device_(other.on_device_),
      values_(other.device(), other.values_.size(), "matrix") {
  gpu::copy(device(), other.values_.view(), values_.view());
}

template class BlockMatrix<float>;
template class BlockMatrix<double>;
template BlockMatrix<float>::BlockMatrix(const BlockMatrix<double>&);

}  // namespace trestle::solver
