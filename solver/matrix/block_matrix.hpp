// BlockMatrix: a distributed sparse matrix of b x b blocks, split into owned and ghost columns.
#pragma once

#include <memory>
#include <vector>

#include "core/index_map.hpp"
#include "gpu/array.hpp"
#include "gpu/constant_array.hpp"
#include "solver/matrix/block_kernels.hpp"

namespace trestle::solver {

/// Which blocks of the owned rows are stored. Entries of both parts share one array of columns and
/// of values: first the owned columns of all rows, then the ghost columns of all rows. Columns are
/// local nodes, ascending. Host memory; immutable once made.
struct Pattern {
  std::shared_ptr<const IndexMap> map;
  std::vector<Offset> owned_offsets;  // [n_owned + 1], from 0
  std::vector<Offset> ghost_offsets;  // [n_owned + 1], from owned_offsets.back()
  std::vector<Index> columns;         // [n_entries]
  Offset n_entries() const { return static_cast<Offset>(columns.size()); }
};

/// The arrays of a pattern, which outlives them, on one device.
struct DevicePattern {
  gpu::ConstantArray<Offset> owned_offsets;
  gpu::ConstantArray<Offset> ghost_offsets;
  gpu::ConstantArray<Index> columns;
};

/// Values are [entry, row in block, column in block].
template <class Real>
class BlockMatrix {
 public:
  /// All values zero.
  BlockMatrix(const gpu::Device& device, std::shared_ptr<const Pattern> pattern, int block);
  /// The values of `other` rounded or widened; shares its pattern on the host and on the device.
  template <class Other>
  explicit BlockMatrix(const BlockMatrix<Other>& other);

  const Pattern& pattern() const { return *pattern_; }
  const std::shared_ptr<const Pattern>& shared_pattern() const { return pattern_; }
  int block() const { return block_; }
  const gpu::Device& device() const { return values_.device(); }
  gpu::Array<Real>& values() { return values_; }
  const gpu::Array<Real>& values() const { return values_; }
  gpu::View<const Offset, 1> owned_offsets() const { return on_device_->owned_offsets.view(); }
  gpu::View<const Offset, 1> ghost_offsets() const { return on_device_->ghost_offsets.view(); }
  gpu::View<const Index, 1> columns() const { return on_device_->columns.view(); }
  /// Both parts for kernels.
  BlockRowsView<Real> owned_rows() const {
    return {block_, owned_offsets(), columns(), values_.view()};
  }
  BlockRowsView<Real> ghost_rows() const {
    return {block_, ghost_offsets(), columns(), values_.view()};
  }

 private:
  template <class>
  friend class BlockMatrix;

  std::shared_ptr<const Pattern> pattern_;
  int block_;
  std::shared_ptr<const DevicePattern> on_device_;
  gpu::Array<Real> values_;
};

extern template class BlockMatrix<float>;
extern template class BlockMatrix<double>;
extern template BlockMatrix<float>::BlockMatrix(const BlockMatrix<double>&);

}  // namespace trestle::solver
