#include "solver/multigrid/block_rows.hpp"

#include <cmath>

namespace trestle::solver {

BlockRowsOnHost LevelMatrix::rows_of(const Pattern& pattern, int block,
                                     std::span<const double> values) {
  return {block, block, pattern.owned_offsets, pattern.ghost_offsets, pattern.columns, values};
}

namespace {

/// Which entries of a matrix of numbers are negligible. Collective to make.
class Negligible {
 public:
  Negligible(const BlockRowsOnHost& a, const IndexMap& map)
      : a_(a), root_(static_cast<std::size_t>(map.n_local()), 0.0) {
    for (Index row = 0; row < a.n_rows(); ++row)
      a.visit_row(row, [&](Offset e, Index column) {
        if (column == row) root_[static_cast<std::size_t>(row)] = std::sqrt(std::abs(*a.block(e)));
      });
    update_ghosts(map, std::span<double>(root_));
  }
  bool operator()(Index row, Offset e, Index column) const {
    constexpr double nothing = 1e-13;
    return row != column && std::abs(*a_.block(e)) <= nothing *
                                                          root_[static_cast<std::size_t>(row)] *
                                                          root_[static_cast<std::size_t>(column)];
  }

 private:
  const BlockRowsOnHost& a_;
  std::vector<double> root_;  // [local node] of the diagonal entry
};

}  // namespace

std::optional<LevelMatrix> without_negligible(const BlockRowsOnHost& a,
                                              std::shared_ptr<const IndexMap> map) {
  if (a.row_block != 1) return std::nullopt;
  const Negligible negligible(a, *map);
  std::size_t n_kept = 0;
  for (Index row = 0; row < a.n_rows(); ++row)
    a.visit_row(row, [&](Offset e, Index column) { n_kept += !negligible(row, e, column); });
  if (map->comm().all(4 * n_kept > 3 * a.columns.size())) return std::nullopt;

  auto pattern = std::make_shared<Pattern>();
  LevelMatrix kept;
  pattern->columns.reserve(n_kept);
  kept.values.reserve(n_kept);
  const auto keep_run = [&](std::span<const Offset> from, std::vector<Offset>& offsets) {
    offsets.reserve(from.size());
    offsets.push_back(static_cast<Offset>(kept.values.size()));
    for (Index row = 0; row < a.n_rows(); ++row) {
      for (Offset e = from[static_cast<std::size_t>(row)];
           e < from[static_cast<std::size_t>(row) + 1]; ++e) {
        const Index column = a.columns[static_cast<std::size_t>(e)];
        if (negligible(row, e, column)) continue;
        pattern->columns.push_back(column);
        kept.values.push_back(*a.block(e));
      }
      offsets.push_back(static_cast<Offset>(kept.values.size()));
    }
  };
  keep_run(a.offsets, pattern->owned_offsets);
  keep_run(a.ghost_offsets, pattern->ghost_offsets);
  pattern->map = std::move(map);
  kept.pattern = std::move(pattern);
  return kept;
}

bool update_kept(const BlockRowsOnHost& a, LevelMatrix& kept) {
  const Pattern& pattern = *kept.pattern;
  const Negligible negligible(a, *pattern.map);
  std::vector<double> values;
  values.reserve(pattern.columns.size());
  bool fits = true;
  const auto take_run = [&](std::span<const Offset> from, std::span<const Offset> offsets) {
    for (Index row = 0; row < a.n_rows(); ++row) {
      const auto i = static_cast<std::size_t>(row);
      Offset next = offsets[i];
      for (Offset e = from[i]; e < from[i + 1]; ++e) {
        const Index column = a.columns[static_cast<std::size_t>(e)];
        if (next < offsets[i + 1] && pattern.columns[static_cast<std::size_t>(next)] == column) {
          values.push_back(*a.block(e));
          ++next;
        } else {
          fits = fits && negligible(row, e, column);
        }
      }
    }
  };
  take_run(a.offsets, pattern.owned_offsets);
  take_run(a.ghost_offsets, pattern.ghost_offsets);
  if (!pattern.map->comm().all(fits)) return false;
  kept.values = std::move(values);
  return true;
}

BlockRowsStore transpose(const BlockRowsOnHost& a, Index n_columns) {
  BlockRowsStore t;
  t.row_block = a.column_block;
  t.column_block = a.row_block;
  t.offsets.assign(static_cast<std::size_t>(n_columns) + 1, 0);
  t.columns.resize(a.columns.size());
  t.values.resize(a.values.size());
  for (const Index column : a.columns) ++t.offsets[static_cast<std::size_t>(column) + 1];
  for (std::size_t i = 1; i < t.offsets.size(); ++i) t.offsets[i] += t.offsets[i - 1];
  std::vector<Offset> at(t.offsets.begin(), t.offsets.end() - 1);
  for (Index row = 0; row < a.n_rows(); ++row)
    a.visit_row(row, [&](Offset e, Index column) {
      const Offset to = at[static_cast<std::size_t>(column)]++;
      t.columns[static_cast<std::size_t>(to)] = row;
      const double* from = a.block(e);
      double* into = t.values.data() + to * a.block_size();
      for (int r = 0; r < a.row_block; ++r)
        for (int c = 0; c < a.column_block; ++c)
          into[c * a.row_block + r] = from[r * a.column_block + c];
    });
  return t;
}

LocalNumbers::LocalNumbers(GlobalIndex first_owned, Index n_owned)
    : first_(first_owned), n_owned_(n_owned), buckets_(16, {-1, -1}) {}

GlobalIndex LocalNumbers::id(Index local) const {
  return local < n_owned_ ? first_ + local : others_[static_cast<std::size_t>(local - n_owned_)];
}

namespace {
std::size_t bucket_of(GlobalIndex id, std::size_t mask) {
  return (static_cast<std::size_t>(id) * 0x9e3779b97f4a7c15ULL >> 20) & mask;
}
}  // namespace

void LocalNumbers::grow() {
  std::vector<std::pair<GlobalIndex, Index>> old(buckets_.size() * 2, {-1, -1});
  old.swap(buckets_);
  const std::size_t mask = buckets_.size() - 1;
  for (const auto& entry : old) {
    if (entry.first < 0) continue;
    std::size_t at = bucket_of(entry.first, mask);
    while (buckets_[at].first >= 0) at = (at + 1) & mask;
    buckets_[at] = entry;
  }
}

Index LocalNumbers::of(GlobalIndex id) {
  if (id >= first_ && id < first_ + n_owned_) return static_cast<Index>(id - first_);
  const std::size_t mask = buckets_.size() - 1;
  std::size_t at = bucket_of(id, mask);
  while (buckets_[at].first >= 0) {
    if (buckets_[at].first == id) return buckets_[at].second;
    at = (at + 1) & mask;
  }
  const Index local = n_local();
  buckets_[at] = {id, local};
  others_.push_back(id);
  if (others_.size() * 2 > buckets_.size()) grow();
  return local;
}

void append_ghost_rows(const IndexMap& map, LocalNumbers& numbers, BlockRowsStore& a) {
  if (map.comm().size() == 1) return;
  const auto n_ranks = static_cast<std::size_t>(map.comm().size());
  const auto size =
      static_cast<std::size_t>(a.row_block) * static_cast<std::size_t>(a.column_block);
  std::vector<std::vector<Index>> counts(n_ranks);
  std::vector<std::vector<GlobalIndex>> ids(n_ranks);
  std::vector<std::vector<double>> values(n_ranks);
  for (const auto& neighbour : map.neighbours()) {
    const auto to = static_cast<std::size_t>(neighbour.rank);
    for (const Index row : neighbour.send) {
      const auto begin = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row)]);
      const auto end = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row) + 1]);
      counts[to].push_back(static_cast<Index>(end - begin));
      for (std::size_t e = begin; e < end; ++e) ids[to].push_back(numbers.id(a.columns[e]));
      values[to].insert(values[to].end(),
                        a.values.begin() + static_cast<std::ptrdiff_t>(begin * size),
                        a.values.begin() + static_cast<std::ptrdiff_t>(end * size));
    }
  }
  const auto counts_in = map.comm().exchange(counts);
  const auto ids_in = map.comm().exchange(ids);
  const auto values_in = map.comm().exchange(values);
  for (const auto& neighbour : map.neighbours()) {  // ghosts stand in the order of their owners
    const auto from = static_cast<std::size_t>(neighbour.rank);
    std::size_t at = 0;
    for (const Index count : counts_in[from]) {
      for (Index k = 0; k < count; ++k) a.columns.push_back(numbers.of(ids_in[from][at++]));
      a.end_row();
    }
    a.values.insert(a.values.end(), values_in[from].begin(), values_in[from].end());
  }
}

}  // namespace trestle::solver
