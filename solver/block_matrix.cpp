#include "solver/block_matrix.hpp"

#include <algorithm>

namespace trestle::solver {

template <class Real>
BlockMatrix<Real>::BlockMatrix(const gpu::Device& device, std::shared_ptr<const Pattern> pattern,
                               int block)
    : pattern_(std::move(pattern)),
      block_(block),
      owned_offsets_(gpu::upload(device, pattern_->owned_offsets, "matrix")),
      ghost_offsets_(gpu::upload(device, pattern_->ghost_offsets, "matrix")),
      columns_(gpu::upload(device, pattern_->columns, "matrix")),
      values_(device, pattern_->n_entries() * block * block, "matrix") {
  const auto values = gpu::write(values_);
  std::fill(values.begin(), values.end(), Real{0});
}

template class BlockMatrix<float>;
template class BlockMatrix<double>;

}  // namespace trestle::solver
