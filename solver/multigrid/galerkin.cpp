#include "solver/multigrid/galerkin.hpp"

#include <algorithm>

#include "solver/multigrid/block_sizes.hpp"

namespace trestle::solver {
namespace {

/// C = A B row by row [Gustavson 1978, ACM TOMS 4:250-269], with blocks of m x k and k x n.
template <int m, int k, int n>
class RowProduct {
 public:
  RowProduct(const BlockRowsOnHost& a, const BlockRowsOnHost& b, Index n_columns)
      : a_(a), b_(b), place_(static_cast<std::size_t>(n_columns), -1) {}

  /// Appends a row, its columns ascending.
  void append(Index row, BlockRowsStore& c) {
    const auto begin = static_cast<std::size_t>(c.offsets.back());
    find_columns(row, begin, c);
    c.values.resize(c.columns.size() * m * n, 0.0);
    double* values = c.values.data() + begin * m * n;
    a_.visit_row(row, [&](Offset e, Index middle) {
      const double* left = a_.block(e);
      b_.visit_row(middle, [&](Offset f, Index column) {
        add(left, b_.block(f), values + static_cast<Offset>(place(column)) * m * n);
      });
    });
    for (std::size_t i = begin; i < c.columns.size(); ++i) place(c.columns[i]) = -1;
    c.end_row();
  }

 private:
  /// Where a column stands in the current row, -1 for nowhere.
  Index& place(Index column) { return place_[static_cast<std::size_t>(column)]; }

  void find_columns(Index row, std::size_t begin, BlockRowsStore& c) {
    a_.visit_row(row, [&](Offset, Index middle) {
      b_.visit_row(middle, [&](Offset, Index column) {
        if (place(column) >= 0) return;
        place(column) = 0;
        c.columns.push_back(column);
      });
    });
    std::sort(c.columns.begin() + static_cast<std::ptrdiff_t>(begin), c.columns.end());
    for (std::size_t i = begin; i < c.columns.size(); ++i)
      place(c.columns[i]) = static_cast<Index>(i - begin);
  }

  static void add(const double* left, const double* right, double* sum) {
    for (int i = 0; i < m; ++i)
      for (int l = 0; l < k; ++l)
        for (int j = 0; j < n; ++j) sum[i * n + j] += left[i * k + l] * right[l * n + j];
  }

  const BlockRowsOnHost& a_;
  const BlockRowsOnHost& b_;
  std::vector<Index> place_;
};

template <int m, int k, int n>
BlockRowsStore multiply(const BlockRowsOnHost& a, const BlockRowsOnHost& b, Index n_columns) {
  BlockRowsStore c;
  c.row_block = m;
  c.column_block = n;
  RowProduct<m, k, n> product(a, b, n_columns);
  for (Index row = 0; row < a.n_rows(); ++row) product.append(row, c);
  return c;
}

/// Keeps the first `n_rows` rows.
void keep_rows(BlockRowsStore& a, Index n_rows) {
  a.offsets.resize(static_cast<std::size_t>(n_rows) + 1);
  const auto n_entries = static_cast<std::size_t>(a.offsets.back());
  a.columns.resize(n_entries);
  a.values.resize(n_entries * static_cast<std::size_t>(a.row_block * a.column_block));
}

/// Rows of zeros: unknowns without a function on the finer level.
void fill_empty_diagonals(BlockRowsStore& c) {
  const int n = c.row_block;
  for (std::size_t row = 0; row + 1 < c.offsets.size(); ++row)
    for (auto e = static_cast<std::size_t>(c.offsets[row]);
         e < static_cast<std::size_t>(c.offsets[row + 1]); ++e) {
      if (c.columns[e] != static_cast<Index>(row)) continue;
      double* block = c.values.data() + e * static_cast<std::size_t>(n * n);
      double largest = 0;
      for (int i = 0; i < n; ++i) largest = std::max(largest, block[i * n + i]);
      for (int i = 0; i < n; ++i)
        if (block[i * n + i] == 0) block[i * n + i] = largest > 0 ? largest : 1;
    }
}

/// The coarse nodes of other ranks that `c` or `p` refer to get their places in the order of an
/// IndexMap, which is that of ids.
std::shared_ptr<const IndexMap> renumber(const Comm& comm, const LocalNumbers& numbers,
                                         BlockRowsStore& c, BlockRowsStore& p) {
  const Index n_owned = numbers.n_owned();
  std::vector<GlobalIndex> owned(static_cast<std::size_t>(n_owned));
  for (Index i = 0; i < n_owned; ++i) owned[static_cast<std::size_t>(i)] = numbers.id(i);
  std::vector<std::uint8_t> used(numbers.others().size(), 0);
  for (const BlockRowsStore* a : {&c, &p})
    for (const Index column : a->columns)
      if (column >= n_owned) used[static_cast<std::size_t>(column - n_owned)] = 1;
  std::vector<GlobalIndex> ghosts;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] != 0) ghosts.push_back(numbers.others()[i]);
  std::sort(ghosts.begin(), ghosts.end());
  for (BlockRowsStore* a : {&c, &p})
    for (Index& column : a->columns)
      if (column >= n_owned)
        column = n_owned + static_cast<Index>(std::lower_bound(ghosts.begin(), ghosts.end(),
                                                               numbers.id(column)) -
                                              ghosts.begin());
  const std::vector<GlobalIndex> ends =
      comm.all_gather(n_owned == 0 ? GlobalIndex{-1} : numbers.id(n_owned - 1));
  std::vector<int> owners;
  for (const GlobalIndex id : ghosts) {
    int owner = 0;
    while (ends[static_cast<std::size_t>(owner)] < id) ++owner;
    owners.push_back(owner);
  }
  return std::make_shared<const IndexMap>(comm, std::move(owned), ghosts, owners);
}

/// Splits the rows into their owned and ghost parts, the columns of each ascending.
LevelMatrix split(std::shared_ptr<const IndexMap> map, BlockRowsStore c) {
  auto pattern = std::make_shared<Pattern>();
  LevelMatrix matrix;
  matrix.block = c.row_block;
  const Index n_owned = map->n_owned();
  pattern->map = std::move(map);
  if (pattern->map->comm().size() == 1) {
    pattern->ghost_offsets.assign(c.offsets.size(), c.offsets.back());
    pattern->owned_offsets = std::move(c.offsets);
    pattern->columns = std::move(c.columns);
    matrix.values = std::move(c.values);
    matrix.pattern = std::move(pattern);
    return matrix;
  }
  const auto size = static_cast<std::ptrdiff_t>(c.row_block) * c.column_block;
  const auto append = [&](std::size_t row, bool ghosts) {
    std::vector<std::pair<Index, Offset>> entries;
    for (Offset e = c.offsets[row]; e < c.offsets[row + 1]; ++e)
      if (const Index column = c.columns[static_cast<std::size_t>(e)];
          (column >= n_owned) == ghosts)
        entries.emplace_back(column, e);
    std::sort(entries.begin(), entries.end());
    for (const auto& [column, e] : entries) {
      pattern->columns.push_back(column);
      matrix.values.insert(matrix.values.end(), c.values.begin() + e * size,
                           c.values.begin() + (e + 1) * size);
    }
  };
  for (const bool ghosts : {false, true}) {
    std::vector<Offset>& offsets = ghosts ? pattern->ghost_offsets : pattern->owned_offsets;
    offsets.push_back(static_cast<Offset>(pattern->columns.size()));
    for (std::size_t row = 0; row + 1 < c.offsets.size(); ++row) {
      append(row, ghosts);
      offsets.push_back(static_cast<Offset>(pattern->columns.size()));
    }
  }
  matrix.pattern = std::move(pattern);
  return matrix;
}

template <int b, int n>
CoarseLevel make_level(const BlockRowsOnHost& a, const IndexMap& fine, BlockRowsStore p,
                       LocalNumbers numbers) {
  CoarseLevel level;
  append_ghost_rows(fine, numbers, p);
  level.restriction = transpose(p.rows(), numbers.n_local());
  keep_rows(level.restriction, numbers.n_owned());
  BlockRowsStore c;
  {
    BlockRowsStore ap = multiply<b, b, n>(a, p.rows(), numbers.n_local());
    append_ghost_rows(fine, numbers, ap);
    c = multiply<n, b, n>(level.restriction.rows(), ap.rows(), numbers.n_local());
  }
  fill_empty_diagonals(c);
  keep_rows(p, a.n_rows());
  std::shared_ptr<const IndexMap> map = renumber(fine.comm(), numbers, c, p);
  level.prolongator = std::move(p);
  level.matrix = split(std::move(map), std::move(c));
  return level;
}

}  // namespace

CoarseLevel make_coarse_level(const BlockRowsOnHost& a, const IndexMap& fine, BlockRowsStore p,
                              LocalNumbers numbers) {
  CoarseLevel level;
  const int n_vectors = p.column_block;
  with_block_size(a.row_block, [&](auto b) {
    with_block_size(n_vectors, [&](auto n) {
      if constexpr (b <= n) level = make_level<b, n>(a, fine, std::move(p), std::move(numbers));
    });
  });
  return level;
}

}  // namespace trestle::solver
