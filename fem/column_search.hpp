// Where a column stands in a row of a matrix, sixteen columns compared at once. For host memory and
// .cpp files only.
#pragma once

#include <immintrin.h>

#include <bit>
#include <span>

#include "fem/kernels/cell_kernels.hpp"

namespace trestle::fem {

/// Bit k is set where values[k] == value, k < 16.
inline unsigned equal_among_16(const Index* values, Index value) {
  const __m256i all = _mm256_set1_epi32(value);
  const auto bits = [&](const Index* eight) {
    const __m256i loaded = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(eight));
    return static_cast<unsigned>(
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(loaded, all))));
  };
  return bits(values) | bits(values + 8) << 8;
}

/// ranks[k] = how many of `counted` are below values[k], k < 16.
inline void count_lower_among_16(const Index* values, std::span<const Index> counted,
                                 Index* ranks) {
  const auto load = [](const Index* eight) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(eight));
  };
  const __m256i low = load(values), high = load(values + 8);
  __m256i low_ranks = _mm256_setzero_si256(), high_ranks = low_ranks;
  for (const Index value : counted) {
    const __m256i all = _mm256_set1_epi32(value);
    low_ranks = _mm256_sub_epi32(low_ranks, _mm256_cmpgt_epi32(low, all));
    high_ranks = _mm256_sub_epi32(high_ranks, _mm256_cmpgt_epi32(high, all));
  }
  _mm256_store_si256(reinterpret_cast<__m256i*>(ranks), low_ranks);
  _mm256_store_si256(reinterpret_cast<__m256i*>(ranks + 8), high_ranks);
}

/// The last position before `end` of `column`, which stands somewhere before it.
inline Offset find_last(const Index* columns, Offset end, Index column) {
  while (end >= 16) {
    if (const unsigned equal = equal_among_16(columns + end - 16, column); equal != 0)
      return end - 17 + std::bit_width(equal);
    end -= 16;
  }
  do --end;
  while (columns[end] != column);
  return end;
}

/// Entry of (row, column), which is in the pattern. For the short rows of a mesh quicker than to
/// halve them, and than to keep a map of the entries of every cell in memory.
inline Offset find_entry(const MatrixView& matrix, Index row, Index column) {
  const gpu::View<const Offset, 1>& ends =
      column < matrix.n_owned ? matrix.owned_offsets : matrix.ghost_offsets;
  return find_last(matrix.columns.data(), ends[row + 1], column);
}

/// The pairs of nodes a < b of a cell.
template <int n>
struct NodePairs {
  static constexpr int count = n * (n - 1) / 2;
  int a[count], b[count];
  constexpr NodePairs() : a(), b() {
    for (int first = 0, p = 0; first < n; ++first)
      for (int second = first + 1; second < n; ++second, ++p) a[p] = first, b[p] = second;
  }
};

/// Where the pairs of nodes of four cells meet beyond the diagonal: the lower node of a pair is the
/// row, the other one the column. Found for the four at once, without a branch, which nobody could
/// predict.
template <int n_nodes>
class UpperEntries {
 public:
  static constexpr int n_cells = 4;
  using Nodes = Index __attribute__((vector_size(n_cells * sizeof(Index))));

  /// `cells`: the nodes of each cell.
  explicit UpperEntries(const Index* const (&cells)[n_cells]) {
    static constexpr NodePairs<n_nodes> pairs;
    for (int a = 0; a < n_nodes; ++a)
      nodes_[a] = Nodes{cells[0][a], cells[1][a], cells[2][a], cells[3][a]};
    highest_ = nodes_[0];
    for (const Nodes& nodes : nodes_) highest_ = nodes > highest_ ? nodes : highest_;
#pragma GCC unroll 6
    for (int p = 0; p < pairs.count; ++p) {
      const Nodes a = nodes_[pairs.a[p]], b = nodes_[pairs.b[p]];
      rows_[p] = a < b ? a : b;
      columns_[p] = a < b ? b : a;
    }
  }
  Index node(int a, int cell) const { return nodes_[a][cell]; }
  Index highest_node(int cell) const { return highest_[cell]; }
  /// Of pair p, as NodePairs counts them.
  Index row(int p, int cell) const { return rows_[p][cell]; }
  Index column(int p, int cell) const { return columns_[p][cell]; }

 private:
  Nodes nodes_[n_nodes], highest_, rows_[NodePairs<n_nodes>::count],
      columns_[NodePairs<n_nodes>::count];
};

}  // namespace trestle::fem
