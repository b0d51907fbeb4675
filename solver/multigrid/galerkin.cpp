#include "solver/multigrid/galerkin.hpp"

#include <algorithm>
#include <numeric>

#include "solver/multigrid/block_sizes.hpp"
#include "solver/multigrid/row_sum.hpp"

namespace trestle::solver {
namespace {

/// P'AP by rows of the coarse matrix, each found and summed in one pass. A row of AP lives from the
/// first coarse row that it adds to until the last: neighbours in number are neighbours in space,
/// so that the rows alive stay in the cache, and AP, which is larger than the coarse matrix, is
/// never stored. Blocks of A are b x b, those of P b x n.
template <int b, int n>
class TripleProduct {
 public:
  /// `p` has rows for owned and ghost nodes of `fine`.
  TripleProduct(const BlockRowsOnHost& a, const IndexMap& fine, const BlockRowsStore& p,
                LocalNumbers& numbers)
      : a_(a), p_(p), p_rows_(p.rows()), n_owned_(numbers.n_owned()), of_ap_(numbers.n_local()) {
    receive_ghost_rows(fine, numbers);
    n_local_ = numbers.n_local();
  }

  /// Columns of each row ascending. Blocks between owned nodes below the diagonal are the
  /// transposes of those above.
  BlockRowsStore compute(const BlockRowsStore& restriction) {
    count_uses(restriction);
    BlockRowsStore c;
    c.row_block = c.column_block = n;
    // Room for rows of 64 blocks: memory that is not touched costs nothing.
    const auto n_rows = static_cast<std::size_t>(n_owned_);
    c.offsets.reserve(n_rows + 1);
    c.columns.reserve(64 * n_rows);
    c.values.reserve(64 * n_rows * n * n);
    std::vector<Offset> above;  // [row met] its next entry right of the diagonal
    RowSum<n * n> sum(n_local_);
    for (Index row = 0; row < n_owned_; ++row) {
      sum.start();
      add_row(row, restriction, sum);
      sum.sort();
      auto entry = static_cast<Offset>(c.columns.size());
      sum.append_to(c.columns, c.values);
      Offset right_of_diagonal = -1;
      for (const Index column : sum.columns()) {
        if (column <= row)
          mirror(c, column < row ? take(c, column, row, above) : entry, entry);
        else if (right_of_diagonal < 0)
          right_of_diagonal = entry;
        ++entry;
      }
      c.end_row();
      above.push_back(right_of_diagonal < 0 ? c.offsets.back() : right_of_diagonal);
    }
    for (std::size_t row = 0; row < above.size(); ++row)
      require_symmetric(above[row] == c.offsets[row + 1] ||
                        c.columns[static_cast<std::size_t>(above[row])] >= n_owned_);
    return c;
  }

 private:
  /// A row of AP, its columns in the order in which they are met.
  struct Row {
    std::span<const Index> columns;
    const double* values;
  };
  /// Room for one of them, which only grows.
  class Slot {
   public:
    void keep(const RowSum<b * n>& sum) {
      n_ = sum.columns().size();
      if (n_ > columns_.size()) {
        columns_.resize(2 * n_);
        values_.resize(2 * n_ * b * n);
      }
      sum.copy_to(columns_.data(), values_.data());
    }
    Row row() const { return {{columns_.data(), n_}, values_.data()}; }

   private:
    std::vector<Index> columns_;
    std::vector<double> values_;
    std::size_t n_ = 0;
  };

  /// The row of an owned fine node in `of_ap_`.
  void compute_row(Index row) {
    of_ap_.start();
    a_.fetch_behind(row);
    p_rows_.fetch_behind(row);
    a_.visit_row(row, [&](Offset e, Index middle) {
      of_ap_.template add<b, b>(a_.block(e), p_.columns_of(middle), p_.blocks_of(middle));
    });
  }

  /// The rows of AP of ghost nodes, from their owners.
  void receive_ghost_rows(const IndexMap& fine, LocalNumbers& numbers) {
    if (fine.comm().size() == 1) return;
    ghosts_.row_block = b;
    ghosts_.column_block = n;
    std::vector<std::uint8_t> sent(static_cast<std::size_t>(a_.n_rows()), 0);
    for (const auto& neighbour : fine.neighbours())
      for (const Index row : neighbour.send) sent[static_cast<std::size_t>(row)] = 1;
    for (Index row = 0; row < a_.n_rows(); ++row) {  // those that nobody asks for stay empty
      if (sent[static_cast<std::size_t>(row)] != 0) {
        compute_row(row);
        of_ap_.append_to(ghosts_.columns, ghosts_.values);
      }
      ghosts_.end_row();
    }
    append_ghost_rows(fine, numbers, ghosts_);
  }

  void count_uses(const BlockRowsStore& restriction) {
    uses_.assign(static_cast<std::size_t>(a_.n_rows()), 0);
    slot_of_.assign(static_cast<std::size_t>(a_.n_rows()), -1);
    for (const Index fine : restriction.columns)
      if (fine < a_.n_rows()) ++uses_[static_cast<std::size_t>(fine)];
  }

  /// The row of AP of an owned or ghost fine node, computed at its first use.
  Row use(Index fine) {
    const auto i = static_cast<std::size_t>(fine);
    if (fine >= a_.n_rows()) return {ghosts_.columns_of(fine), ghosts_.blocks_of(fine)};
    Index& slot_of = slot_of_[i];
    if (slot_of < 0) {
      if (free_.empty()) {
        free_.push_back(static_cast<Index>(slots_.size()));
        slots_.emplace_back();
      }
      slot_of = free_.back();
      free_.pop_back();
      compute_row(fine);
      slots_[static_cast<std::size_t>(slot_of)].keep(of_ap_);
    }
    if (--uses_[i] == 0) free_.push_back(slot_of);  // overwritten by a later row at the earliest
    return slots_[static_cast<std::size_t>(slot_of)].row();
  }

  /// C_IJ += P_iI' (AP)_iJ over the fine nodes i in their order; zero for owned J below I.
  void add_row(Index coarse, const BlockRowsStore& restriction, RowSum<n * n>& sum) {
    const auto row = static_cast<std::size_t>(coarse);
    for (Offset e = restriction.offsets[row]; e < restriction.offsets[row + 1]; ++e) {
      const double* left = restriction.values.data() + e * n * b;
      const Row ap = use(restriction.columns[static_cast<std::size_t>(e)]);
      sum.template add<n, b>(left, ap.columns, ap.values, coarse);
    }
  }

  static void require_symmetric(bool symmetric) {
    require(symmetric, ExitCode::bug, "multigrid: the pattern of the matrix is not symmetric");
  }
  /// The entry (upper, column), which must be the next one of that row; moves on.
  static Offset take(const BlockRowsStore& c, Index upper, Index column,
                     std::vector<Offset>& next) {
    const auto row = static_cast<std::size_t>(upper);
    require_symmetric(next[row] < c.offsets[row + 1] &&
                      c.columns[static_cast<std::size_t>(next[row])] == column);
    return next[row]++;
  }
  /// The part of block `to` below the diagonal of the matrix from block `from` above it.
  static void mirror(BlockRowsStore& c, Offset from, Offset to) {
    const double* upper = c.values.data() + from * n * n;
    double* lower = c.values.data() + to * n * n;
    for (int i = 0; i < n; ++i)
      for (int j = from == to ? i + 1 : 0; j < n; ++j) lower[j * n + i] = upper[i * n + j];
  }

  const BlockRowsOnHost& a_;
  const BlockRowsStore& p_;
  BlockRowsOnHost p_rows_;
  Index n_owned_;               // coarse nodes of this rank
  Index n_local_ = 0;           // and those of others that it knows
  RowSum<b * n> of_ap_;         // the row at hand
  BlockRowsStore ghosts_;       // [local fine node] rows of ghosts
  std::vector<Slot> slots_;     // rows alive
  std::vector<Index> free_;     // slots
  std::vector<Index> slot_of_;  // [owned fine node] or -1
  std::vector<Index> uses_;     // [owned fine node] still to come
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
        column = n_owned + static_cast<Index>(
                               std::lower_bound(ghosts.begin(), ghosts.end(), numbers.id(column)) -
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
  BlockRowsStore c = TripleProduct<b, n>(a, fine, p, numbers).compute(level.restriction);
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
