// Sparse matrices of blocks on the host, as the set-up of multigrid reads and makes them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/index_map.hpp"
#include "gpu/fetch.hpp"
#include "solver/matrix/block_matrix.hpp"

namespace trestle::solver {

/// A view of block rows, each in one or two runs of entries: those of owned and of ghost columns.
struct BlockRowsOnHost {
  int row_block = 1;                      // rows of a block
  int column_block = 1;                   // columns of a block
  std::span<const Offset> offsets;        // [n_rows + 1]
  std::span<const Offset> ghost_offsets;  // [n_rows + 1], or empty
  std::span<const Index> columns;         // [entry] local
  std::span<const double> values;         // [entry, row in block, column in block]

  Index n_rows() const { return static_cast<Index>(offsets.size()) - 1; }
  Offset block_size() const { return static_cast<Offset>(row_block) * column_block; }
  const double* block(Offset entry) const { return values.data() + entry * block_size(); }
  Offset n_in_row(Index row) const {
    const auto i = static_cast<std::size_t>(row);
    return offsets[i + 1] - offsets[i] +
           (ghost_offsets.empty() ? 0 : ghost_offsets[i + 1] - ghost_offsets[i]);
  }
  /// Asks for the columns and values some KiB behind a row: those of the rows after it where rows
  /// are read about in their order.
  void fetch_behind(Index row) const {
    const auto i = static_cast<std::size_t>(row);
    const Offset begin = offsets[i], end = offsets[i + 1], size = block_size();
    gpu::fetch_behind<4096>(values.data(), begin * size, end * size);
    gpu::fetch_behind<4096>(columns.data(), begin, end);
  }
  /// Calls visit(entry, column) for the entries of a row, owned columns first.
  template <class Visit>
  void visit_row(Index row, const Visit& visit) const {
    const auto i = static_cast<std::size_t>(row);
    for (Offset e = offsets[i]; e < offsets[i + 1]; ++e)
      visit(e, columns[static_cast<std::size_t>(e)]);
    if (ghost_offsets.empty()) return;
    for (Offset e = ghost_offsets[i]; e < ghost_offsets[i + 1]; ++e)
      visit(e, columns[static_cast<std::size_t>(e)]);
  }
};

/// A square matrix of one level: the values of a pattern.
struct LevelMatrix {
  std::shared_ptr<const Pattern> pattern;
  int block = 1;
  std::vector<double> values;  // [entry, block, block]

  BlockRowsOnHost rows() const { return rows_of(*pattern, block, values); }
  static BlockRowsOnHost rows_of(const Pattern& pattern, int block, std::span<const double> values);
};

/// A square matrix without its negligible entries, those below 1e-13 of sqrt(|A_ii| |A_jj|), as
/// differences of equal terms leave them behind: on regular meshes they may be more than half of
/// all. Nothing where they are less than a quarter, or where blocks are larger than 1. Collective.
std::optional<LevelMatrix> without_negligible(const BlockRowsOnHost& a,
                                              std::shared_ptr<const IndexMap> map);

/// Gives `kept`, which `without_negligible` made, the values of another matrix with the pattern of
/// the one before; false, with `kept` as it was, where an entry that was dropped counts now.
/// Collective.
bool update_kept(const BlockRowsOnHost& a, LevelMatrix& kept);

/// A rectangular matrix whose rows grow one after another.
struct BlockRowsStore {
  int row_block = 1;
  int column_block = 1;
  std::vector<Offset> offsets{0};
  std::vector<Index> columns;
  std::vector<double> values;

  BlockRowsOnHost rows() const { return {row_block, column_block, offsets, {}, columns, values}; }
  std::span<const Index> columns_of(Index row) const {
    const auto i = static_cast<std::size_t>(row);
    return {columns.data() + offsets[i], columns.data() + offsets[i + 1]};
  }
  const double* blocks_of(Index row) const {
    return values.data() + offsets[static_cast<std::size_t>(row)] * row_block * column_block;
  }
  void end_row() { offsets.push_back(static_cast<Offset>(columns.size())); }
};

/// The transpose: [n_columns] rows, entries ascending.
BlockRowsStore transpose(const BlockRowsOnHost& a, Index n_columns);

/// Local numbers for global ids of a level in the making: owned ones first, then the others in the
/// order in which they are met.
class LocalNumbers {
 public:
  LocalNumbers(GlobalIndex first_owned, Index n_owned);
  /// The number of `id`, a new one where it was not met before.
  Index of(GlobalIndex id);
  GlobalIndex id(Index local) const;
  Index n_owned() const { return n_owned_; }
  std::span<const GlobalIndex> others() const { return others_; }
  Index n_local() const { return n_owned_ + static_cast<Index>(others_.size()); }

 private:
  GlobalIndex first_;
  Index n_owned_;
  std::vector<GlobalIndex> others_;
  std::vector<std::pair<GlobalIndex, Index>> buckets_;  // open addressing, a power of two
  void grow();
};

/// Appends to `a`, which has a row for each owned node of `map`, the rows of its ghosts as their
/// owners have them. Columns are numbered by `numbers`. Collective.
void append_ghost_rows(const IndexMap& map, LocalNumbers& numbers, BlockRowsStore& a);

}  // namespace trestle::solver
