// RowSum: one row of a sparse product of blocks while it is summed.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "solver/multigrid/block_product.hpp"

namespace trestle::solver {

/// Blocks of `size` entries by column, found and summed in one pass [Gustavson 1978, ACM TOMS
/// 4:250-269]. Columns keep the order in which they were met.
template <int size>
class RowSum {
 public:
  /// Columns are local numbers below `n_columns`.
  explicit RowSum(Index n_columns)
      : rows_(static_cast<std::size_t>(n_columns), 0),
        sums_(static_cast<std::size_t>(n_columns) * size, 0.0) {}

  /// Begins a new row, empty.
  void start() {
    for (const Index column : columns()) std::fill_n(block(column), size, 0.0);
    n_ = 0;
    ++row_;
  }
  /// Adds left [m, k] times each block [k, n] of `blocks` to the block of its column, m n = size.
  /// Blocks of columns below `first` may be left out.
  template <int m, int k>
  void add(const double* left, std::span<const Index> columns, const double* blocks,
           Index first = 0) {
    const std::size_t n_more = columns.size();
    if (n_ + n_more >= found_.size()) found_.resize(2 * (n_ + n_more) + 1);
    // Members would be read again after every store.
    const Index row = row_;
    Index *rows = rows_.data(), *found = found_.data() + n_;
    double* sums = sums_.data();
    for (std::size_t j = 0; j < n_more; ++j) {
      const Index column = columns[j];
      *found = column;  // stays only where it is new
      found += rows[column] != row ? 1 : 0;
      rows[column] = row;
      double* sum = sums + Offset{column} * size;
      if constexpr (size == 1)
        *sum += *left * blocks[j];
      else if (column >= first)
        add_product<m, k, size / m>(left, blocks + static_cast<Offset>(j) * k * (size / m), sum);
    }
    n_ = static_cast<std::size_t>(found - found_.data());
  }

  std::span<const Index> columns() const { return {found_.data(), n_}; }
  double* block(Index column) { return sums_.data() + static_cast<Offset>(column) * size; }
  /// Appends columns and blocks.
  void append_to(std::vector<Index>& columns, std::vector<double>& blocks) const {
    const std::size_t n_before = columns.size();
    columns.resize(n_before + n_);
    blocks.resize((n_before + n_) * size);
    copy_to(columns.data() + n_before, blocks.data() + n_before * size);
  }
  /// [n], [n, size]
  void copy_to(Index* columns, double* blocks) const {
    for (std::size_t k = 0; k < n_; ++k) {
      columns[k] = found_[k];
      std::copy_n(sums_.data() + Offset{found_[k]} * size, size, blocks + k * size);
    }
  }
  /// The columns ascending, from now on.
  void sort() { std::sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(n_)); }

 private:
  std::vector<Index> rows_;   // [column] the last row that met it; rows count from 1
  std::vector<double> sums_;  // [column, size] zero but in the row at hand
  std::vector<Index> found_;  // [n_]
  std::size_t n_ = 0;
  Index row_ = 0;
};

}  // namespace trestle::solver
