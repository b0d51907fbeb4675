// BlockMatrix: a distributed sparse matrix of b x b blocks, split into owned and ghost columns.
#pragma once

#include <memory>
#include <vector>

#include "core/index_map.hpp"
#include "gpu/array.hpp"

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

/// Values are [entry, row in block, column in block].
template <class Real>
class BlockMatrix {
 public:
  /// All values zero.
  BlockMatrix(const gpu::Device& device, std::shared_ptr<const Pattern> pattern, int block);

  const Pattern& pattern() const { return *pattern_; }
  const std::shared_ptr<const Pattern>& shared_pattern() const { return pattern_; }
  int block() const { return block_; }
  const gpu::Device& device() const { return values_.device(); }
  gpu::Array<Real>& values() { return values_; }
  const gpu::Array<Real>& values() const { return values_; }
  gpu::View<const Offset, 1> owned_offsets() const { return owned_offsets_.view(); }
  gpu::View<const Offset, 1> ghost_offsets() const { return ghost_offsets_.view(); }
  gpu::View<const Index, 1> columns() const { return columns_.view(); }

 private:
  std::shared_ptr<const Pattern> pattern_;
  int block_;
  gpu::Array<Offset> owned_offsets_;
  gpu::Array<Offset> ghost_offsets_;
  gpu::Array<Index> columns_;
  gpu::Array<Real> values_;
};

extern template class BlockMatrix<float>;
extern template class BlockMatrix<double>;

}  // namespace trestle::solver
