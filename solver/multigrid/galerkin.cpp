#include "solver/multigrid/galerkin.hpp"

#include <algorithm>
#include <numeric>

#include "solver/multigrid/block_sizes.hpp"

namespace trestle::solver {
namespace {

/// sum [m, n] += left right, right [k, n], left [m, k] or, with `transposed`, [k, m]. Not inlined:
/// GCC keeps the row of the sum in registers only in a function of its own, which is twice as fast.
template <int m, int k, int n, bool transposed>
[[gnu::noinline]] void add_blocks(const double* left, const double* right, double* sum) {
  for (int i = 0; i < m; ++i) {
    double row[n];
    for (int j = 0; j < n; ++j) row[j] = sum[i * n + j];
    for (int l = 0; l < k; ++l) {
      const double factor = left[transposed ? l * m + i : i * k + l];
      for (int j = 0; j < n; ++j) row[j] += factor * right[l * n + j];
    }
    for (int j = 0; j < n; ++j) sum[i * n + j] = row[j];
  }
}

template <int m, int k, int n, bool transposed>
void add_product(const double* left, const double* right, double* sum) {
  if constexpr (m * k * n == 1)
    *sum += *left * *right;
  else
    add_blocks<m, k, n, transposed>(left, right, sum);
}

/// P'AP row by row of A: a row of AP lives only as long as it is added to the coarse rows, so that
/// AP, which is larger than the coarse matrix, is never stored. Blocks of A are b x b, those of P
/// b x n.
template <int b, int n>
class TripleProduct {
 public:
  /// `p` has rows for owned and ghost nodes of `fine`.
  TripleProduct(const BlockRowsOnHost& a, const IndexMap& fine, const BlockRowsOnHost& p,
                LocalNumbers& numbers)
      : a_(a), p_(p), n_owned_(numbers.n_owned()) {
    grow_marks(numbers.n_local());
    ap_ = find_columns();
    ghosts_ = receive_ghost_rows(fine, numbers);
    grow_marks(numbers.n_local());
  }

  /// Columns of each row ascending. Blocks between owned nodes below the diagonal are the
  /// transposes of those above.
  BlockRowsStore compute(const BlockRowsOnHost& restriction) {
    BlockRowsStore c = find_coarse_columns(restriction);
    c.values.assign(c.columns.size() * n * n, 0.0);
    std::vector<double> row_of_ap;
    for (Index row = 0; row < a_.n_rows(); ++row) {
      compute_row(row, row_of_ap);
      add_row(row, columns_of(ap_, row), row_of_ap.data(), c);
    }
    for (Index g = 0; g < ghosts_.rows().n_rows(); ++g)
      add_row(a_.n_rows() + g, columns_of(ghosts_, g),
              ghosts_.values.data() + ghosts_.offsets[static_cast<std::size_t>(g)] * b * n, c);
    mirror(c);
    return c;
  }

 private:
  Index& mark(Index column) { return marks_[static_cast<std::size_t>(column)]; }
  void grow_marks(Index n_columns) { marks_.assign(static_cast<std::size_t>(n_columns), -1); }

  static std::span<const Index> columns_of(const BlockRowsStore& store, Index row) {
    const auto i = static_cast<std::size_t>(row);
    return std::span(store.columns)
        .subspan(static_cast<std::size_t>(store.offsets[i]),
                 static_cast<std::size_t>(store.offsets[i + 1] - store.offsets[i]));
  }

  /// Appends the columns of a row that `visit` calls with each of them, in any order and number.
  template <class VisitAll>
  void append_columns(Index row, const VisitAll& visit_all, BlockRowsStore& to) {
    const auto begin = static_cast<std::ptrdiff_t>(to.columns.size());
    visit_all([&](Index column) {
      if (mark(column) == row) return;
      mark(column) = row;
      to.columns.push_back(column);
    });
    std::sort(to.columns.begin() + begin, to.columns.end());
    to.end_row();
  }

  /// Those of AP, owned rows.
  BlockRowsStore find_columns() {
    BlockRowsStore ap;
    ap.row_block = b;
    ap.column_block = n;
    for (Index row = 0; row < a_.n_rows(); ++row)
      append_columns(
          row,
          [&](const auto& visit) {
            a_.visit_row(row, [&](Offset, Index middle) {
              p_.visit_row(middle, [&](Offset, Index column) { visit(column); });
            });
          },
          ap);
    return ap;
  }

  BlockRowsStore find_coarse_columns(const BlockRowsOnHost& restriction) {
    std::fill(marks_.begin(), marks_.end(), -1);
    BlockRowsStore c;
    c.row_block = c.column_block = n;
    for (Index row = 0; row < restriction.n_rows(); ++row)
      append_columns(
          row,
          [&](const auto& visit) {
            restriction.visit_row(row, [&](Offset, Index fine) {
              const bool owned = fine < a_.n_rows();
              for (const Index column : owned ? columns_of(ap_, fine)
                                              : columns_of(ghosts_, fine - a_.n_rows()))
                visit(column);
            });
          },
          c);
    for (Index row = 0; row < n_owned_; ++row)
      diagonals_.push_back(
          std::lower_bound(c.columns.begin() + c.offsets[static_cast<std::size_t>(row)],
                           c.columns.begin() + c.offsets[static_cast<std::size_t>(row) + 1], row) -
          c.columns.begin());
    return c;
  }

  /// One row of AP [Gustavson 1978, ACM TOMS 4:250-269].
  void compute_row(Index row, std::vector<double>& values) {
    const std::span<const Index> columns = columns_of(ap_, row);
    for (std::size_t i = 0; i < columns.size(); ++i) mark(columns[i]) = static_cast<Index>(i);
    values.assign(columns.size() * b * n, 0.0);
    a_.visit_row(row, [&](Offset e, Index middle) {
      const double* left = a_.block(e);
      p_.visit_row(middle, [&](Offset f, Index column) {
        const double* right = p_.block(f);
        add_product<b, b, n, false>(left, right,
                                    values.data() + static_cast<Offset>(mark(column)) * b * n);
      });
    });
  }

  /// The rows of AP of ghost nodes, from their owners.
  BlockRowsStore receive_ghost_rows(const IndexMap& fine, LocalNumbers& numbers) {
    BlockRowsStore boundary;  // all rows, those that nobody asks for empty
    boundary.row_block = b;
    boundary.column_block = n;
    std::vector<std::uint8_t> sent(static_cast<std::size_t>(a_.n_rows()), 0);
    for (const auto& neighbour : fine.neighbours())
      for (const Index row : neighbour.send) sent[static_cast<std::size_t>(row)] = 1;
    std::vector<double> values;
    for (Index row = 0; row < a_.n_rows(); ++row) {
      if (sent[static_cast<std::size_t>(row)] != 0) {
        compute_row(row, values);
        const std::span<const Index> columns = columns_of(ap_, row);
        boundary.columns.insert(boundary.columns.end(), columns.begin(), columns.end());
        boundary.values.insert(boundary.values.end(), values.begin(), values.end());
      }
      boundary.end_row();
    }
    append_ghost_rows(fine, numbers, boundary);
    return last_rows(boundary, a_.n_rows());
  }

  /// The rows from `first` on, the columns of each ascending.
  static BlockRowsStore last_rows(const BlockRowsStore& all, Index first) {
    BlockRowsStore rows;
    rows.row_block = b;
    rows.column_block = n;
    std::vector<Offset> order;
    for (auto row = static_cast<std::size_t>(first); row + 1 < all.offsets.size(); ++row) {
      order.resize(static_cast<std::size_t>(all.offsets[row + 1] - all.offsets[row]));
      std::iota(order.begin(), order.end(), all.offsets[row]);
      std::sort(order.begin(), order.end(), [&](Offset x, Offset y) {
        return all.columns[static_cast<std::size_t>(x)] < all.columns[static_cast<std::size_t>(y)];
      });
      for (const Offset e : order) {
        rows.columns.push_back(all.columns[static_cast<std::size_t>(e)]);
        const double* from = all.values.data() + e * b * n;
        rows.values.insert(rows.values.end(), from, from + b * n);
      }
      rows.end_row();
    }
    return rows;
  }

  /// C_IJ += P_iI' (AP)_iJ for the owned coarse nodes I of a row of P, J not below I.
  void add_row(Index row, std::span<const Index> columns, const double* ap, BlockRowsStore& c) {
    p_.visit_row(row, [&](Offset f, Index coarse) {
      if (coarse >= n_owned_) return;
      const double* p = p_.block(f);
      Offset at = diagonals_[static_cast<std::size_t>(coarse)];
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (columns[k] < coarse) continue;
        while (c.columns[static_cast<std::size_t>(at)] != columns[k]) ++at;
        add_product<n, b, n, true>(p, ap + static_cast<Offset>(k) * b * n,
                                   c.values.data() + at * n * n);
      }
    });
  }

  /// Rows ascend, so that the entries up to the diagonal of each are met in their order.
  void mirror(BlockRowsStore& c) {
    std::vector<Offset> next(c.offsets.begin(), c.offsets.end() - 1);
    for (Index row = 0; row < n_owned_; ++row)
      for (Offset e = c.offsets[static_cast<std::size_t>(row)];
           e < c.offsets[static_cast<std::size_t>(row) + 1]; ++e) {
        const Index column = c.columns[static_cast<std::size_t>(e)];
        if (column < row || column >= n_owned_) continue;
        const Offset below = next[static_cast<std::size_t>(column)]++;
        require(c.columns[static_cast<std::size_t>(below)] == row, ExitCode::bug,
                "multigrid: the pattern of the matrix is not symmetric");
        const double* from = c.values.data() + e * n * n;
        double* to = c.values.data() + below * n * n;
        for (int i = 0; i < n; ++i)
          for (int j = column > row ? 0 : i + 1; j < n; ++j) to[j * n + i] = from[i * n + j];
      }
  }

  const BlockRowsOnHost& a_;
  const BlockRowsOnHost& p_;
  Index n_owned_;                  // coarse nodes of this rank
  std::vector<Index> marks_;       // by coarse column: its place in the row at hand, or whose it is
  std::vector<Offset> diagonals_;  // [owned coarse node]: where the columns from it on begin
  BlockRowsStore ap_;              // columns only
  BlockRowsStore ghosts_;          // rows of AP of ghost nodes
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
  const BlockRowsOnHost p_rows = p.rows(), r_rows = level.restriction.rows();
  BlockRowsStore c = TripleProduct<b, n>(a, fine, p_rows, numbers).compute(r_rows);
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
