#include "solver/multigrid/galerkin.hpp"

#include <algorithm>

#include "solver/multigrid/block_sizes.hpp"

namespace trestle::solver {
namespace {

/// sum [m, n] += left [m, k] right [k, n].
template <int m, int k, int n>
void add_product(const double* left, const double* right, double* sum) {
  for (int i = 0; i < m; ++i) {
    double row[n];
    for (int j = 0; j < n; ++j) row[j] = sum[i * n + j];
    for (int l = 0; l < k; ++l)
      for (int j = 0; j < n; ++j) row[j] += left[i * k + l] * right[l * n + j];
    for (int j = 0; j < n; ++j) sum[i * n + j] = row[j];
  }
}

/// C = A B row by row [Gustavson 1978, ACM TOMS 4:250-269], with blocks of m x k and k x n.
template <int m, int k, int n>
class Product {
 public:
  Product(const BlockRowsOnHost& a, const BlockRowsOnHost& b, Index n_columns)
      : a_(a), b_(b), place_(static_cast<std::size_t>(n_columns), -1) {}

  /// Columns of a row in the order in which they are met.
  BlockRowsStore multiply() {
    BlockRowsStore c = empty();
    // Room for rows of twelve blocks: memory that is not touched costs nothing.
    const std::size_t room = 12 * static_cast<std::size_t>(a_.n_rows());
    c.columns.reserve(room);
    c.values.reserve(room * m * n);
    for (Index row = 0; row < a_.n_rows(); ++row) {
      const auto begin = static_cast<Index>(c.columns.size());
      visit_pairs(row, [&](Offset e, Offset f, Index column) {
        if (place(column) < begin) {
          place(column) = static_cast<Index>(c.columns.size());
          c.columns.push_back(column);
          c.values.resize(c.values.size() + m * n, 0.0);
        }
        add_product<m, k, n>(a_.block(e), b_.block(f),
                             c.values.data() + static_cast<Offset>(place(column)) * m * n);
      });
      c.end_row();
    }
    return c;
  }
  /// Columns ascending; where C is symmetric, with its first `n_owned` columns those of its rows.
  /// Blocks below the diagonal are the transposes of those above.
  BlockRowsStore multiply_symmetric(Index n_owned) {
    BlockRowsStore c = find_columns();
    fill_upper(c);
    mirror(c, n_owned);
    return c;
  }

 private:
  Index& place(Index column) { return place_[static_cast<std::size_t>(column)]; }

  template <class Visit>
  void visit_pairs(Index row, const Visit& visit) {
    a_.visit_row(row, [&](Offset e, Index middle) {
      b_.visit_row(middle, [&](Offset f, Index column) { visit(e, f, column); });
    });
  }

  BlockRowsStore empty() const {
    BlockRowsStore c;
    c.row_block = m;
    c.column_block = n;
    c.offsets.reserve(static_cast<std::size_t>(a_.n_rows()) + 1);
    return c;
  }

  BlockRowsStore find_columns() {
    BlockRowsStore c = empty();
    for (Index row = 0; row < a_.n_rows(); ++row) {
      const auto begin = static_cast<std::ptrdiff_t>(c.columns.size());
      visit_pairs(row, [&](Offset, Offset, Index column) {
        if (place(column) == row) return;
        place(column) = row;
        c.columns.push_back(column);
      });
      std::sort(c.columns.begin() + begin, c.columns.end());
      c.end_row();
    }
    return c;
  }

  void fill_upper(BlockRowsStore& c) {
    c.values.assign(c.columns.size() * m * n, 0.0);
    for (Index row = 0; row < a_.n_rows(); ++row) {
      const auto begin = static_cast<std::size_t>(c.offsets[static_cast<std::size_t>(row)]);
      const auto end = static_cast<std::size_t>(c.offsets[static_cast<std::size_t>(row) + 1]);
      for (std::size_t i = begin; i < end; ++i) place(c.columns[i]) = static_cast<Index>(i - begin);
      double* values = c.values.data() + begin * m * n;
      visit_pairs(row, [&](Offset e, Offset f, Index column) {
        if (column >= row)
          add_product<m, k, n>(a_.block(e), b_.block(f),
                               values + static_cast<Offset>(place(column)) * m * n);
      });
    }
  }

  /// Rows ascend, so that the entries up to the diagonal of each are met in their order.
  void mirror(BlockRowsStore& c, Index n_owned) {
    std::vector<Offset> next(c.offsets.begin(), c.offsets.end() - 1);
    for (Index row = 0; row < n_owned; ++row)
      for (Offset e = c.offsets[static_cast<std::size_t>(row)];
           e < c.offsets[static_cast<std::size_t>(row) + 1]; ++e) {
        const Index column = c.columns[static_cast<std::size_t>(e)];
        if (column < row || column >= n_owned) continue;
        const Offset below = next[static_cast<std::size_t>(column)]++;
        require(c.columns[static_cast<std::size_t>(below)] == row, ExitCode::bug,
                "multigrid: the pattern of the matrix is not symmetric");
        const double* from = c.values.data() + e * m * n;
        double* to = c.values.data() + below * m * n;
        for (int i = 0; i < m; ++i)
          for (int j = column > row ? 0 : i + 1; j < n; ++j) to[j * m + i] = from[i * n + j];
      }
  }

  const BlockRowsOnHost& a_;
  const BlockRowsOnHost& b_;
  std::vector<Index> place_;  // of a column in the current row, or a mark that it was met
};

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
    const BlockRowsOnHost p_rows = p.rows();
    BlockRowsStore ap = Product<b, b, n>(a, p_rows, numbers.n_local()).multiply();
    append_ghost_rows(fine, numbers, ap);
    const BlockRowsOnHost r_rows = level.restriction.rows(), ap_rows = ap.rows();
    c = Product<n, b, n>(r_rows, ap_rows, numbers.n_local())
            .multiply_symmetric(numbers.n_owned());
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
