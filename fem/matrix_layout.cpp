#include "fem/matrix_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "core/error.hpp"
#include "fem/cells/dispatch.hpp"
#include "fem/column_search.hpp"

namespace trestle::fem {
namespace {

/// Pairs (row, column) of nodes of cells, most of them once: what has come a short while ago, as
/// the edges of neighbouring cells have, is left out by a table in the first cache. Without a
/// branch on whether a pair is new, which nobody could predict.
class RecentPairs {
 public:
  explicit RecentPairs(Index n_rows) : n_of_row_(static_cast<std::size_t>(n_rows), 0) {}

  /// All pairs a < b of the nodes of each cell, in the row of the lower one where that is owned.
  template <int n_nodes>
  void add_cells(std::span<const Index> cells) {
    constexpr std::size_t most = NodePairs<n_nodes>::count, chunk = piece / most;
    for (std::size_t first = 0; first < cells.size(); first += chunk * n_nodes) {
      const auto some = cells.subspan(first, std::min(chunk * n_nodes, cells.size() - first));
      const std::size_t room = some.size() / n_nodes * most + 1;  // one is written before it counts
      auto pairs = std::make_unique_for_overwrite<std::uint64_t[]>(room);
      const std::size_t n = add_chunk<n_nodes>(some, pairs.get());
      pieces_.push_back({std::move(pairs), n});
    }
  }
  /// Of each row.
  const std::vector<Index>& counts() const { return n_of_row_; }
  /// work(row, column) for each pair, which it frees.
  template <class Work>
  void take(const Work& work) {
    for (Piece& piece : pieces_) {
      for (const std::uint64_t pair : std::span(piece.pairs.get(), piece.n))
        work(static_cast<Index>(pair >> 32), static_cast<Index>(pair & 0xffffffff));
      piece.pairs.reset();
    }
  }

 private:
  static constexpr int table_bits = 11;
  static constexpr std::size_t piece = std::size_t{1} << 17;
  struct Piece {
    std::unique_ptr<std::uint64_t[]> pairs;  // with room for all of its cells
    std::size_t n;
  };

  /// Returns the number of pairs.
  template <int n_nodes>
  std::size_t add_chunk(std::span<const Index> cells, std::uint64_t* pairs) {
    using Upper = UpperEntries<n_nodes>;
    const auto n_owned = static_cast<Index>(n_of_row_.size());
    std::uint64_t* table = table_;
    Index* n_of_row = n_of_row_.data();
    std::size_t n = 0;
    const std::size_t last = cells.size() - n_nodes;
    for (std::size_t first = 0; first < cells.size(); first += Upper::n_cells * n_nodes) {
      const auto nodes = [&](std::size_t cell) {  // the last one fills the place of those behind it
        return cells.data() + std::min(first + cell * n_nodes, last);
      };
      const Upper upper({nodes(0), nodes(1), nodes(2), nodes(3)});
#pragma GCC unroll 6
      for (int p = 0; p < NodePairs<n_nodes>::count; ++p)
#pragma GCC unroll 4
        for (int cell = 0; cell < Upper::n_cells; ++cell) {
          const Index row = upper.row(p, cell);
          if (row >= n_owned) continue;
          const std::uint64_t pair = static_cast<std::uint64_t>(row) << 32 |
                                     static_cast<std::uint32_t>(upper.column(p, cell));
          std::uint64_t& recent = table[pair * 0x9e3779b97f4a7c15 >> (64 - table_bits)];
          const int is_new = recent != pair ? 1 : 0;
          recent = pair;
          pairs[n] = pair;
          n += static_cast<std::size_t>(is_new);
          n_of_row[row] += is_new;
        }
    }
    return n;
  }

  std::uint64_t table_[std::size_t{1} << table_bits] = {};  // (0, 0) is no pair
  std::vector<Piece> pieces_;
  std::vector<Index> n_of_row_;
};

RecentPairs recent_pairs(const mesh::Mesh& mesh) {
  RecentPairs pairs(mesh.nodes->n_owned());
  for (const mesh::CellBlock& block : mesh.cells) {
    if (block.nodes.empty()) continue;
    const auto add = [&]<int n_nodes>() { pairs.add_cells<n_nodes>(block.nodes); };
    const int n_nodes = mesh::traits(block.type).n_nodes;
    if (mesh.dim == 2)
      Dispatch2d::call(n_nodes, add);
    else
      Dispatch3d::call(n_nodes, add);
  }
  return pairs;
}

/// The columns beyond the diagonal of each row, in no order.
class UpperColumns {
 public:
  explicit UpperColumns(const mesh::Mesh& mesh)
      : n_below_(static_cast<std::size_t>(mesh.nodes->n_local()), 0) {
    RecentPairs pairs = recent_pairs(mesh);
    begin_.reserve(pairs.counts().size() + 1);
    begin_.push_back(0);
    for (const Index n : pairs.counts()) begin_.push_back(begin_.back() + n);
    columns_.resize(static_cast<std::size_t>(begin_.back()) + 16);
    end_.assign(begin_.begin(), begin_.end() - 1);
    pairs.take([&](Index row, Index column) {
      columns_[static_cast<std::size_t>(end_[static_cast<std::size_t>(row)]++)] = column;
    });
    keep_first_of_each();
  }
  std::span<Index> row(Index i) {
    const auto at = static_cast<std::size_t>(i);
    return {columns_.data() + begin_[at], static_cast<std::size_t>(end_[at] - begin_[at])};
  }
  /// Rows that have a column.
  Index n_below(Index column) const { return n_below_[static_cast<std::size_t>(column)]; }

 private:
  void keep_first_of_each() {
    std::vector<Index> last_row(n_below_.size(), -1);  // [column] that has it
    for (std::size_t row = 0; row < end_.size(); ++row) {
      Offset n = begin_[row];
      for (Offset k = begin_[row]; k < end_[row]; ++k) {
        const Index column = columns_[static_cast<std::size_t>(k)];
        const auto at = static_cast<std::size_t>(column);
        const bool is_new = last_row[at] != static_cast<Index>(row);
        last_row[at] = static_cast<Index>(row);
        columns_[static_cast<std::size_t>(n)] = column;
        n += is_new ? 1 : 0;
        n_below_[at] += is_new ? 1 : 0;
      }
      end_[row] = n;
    }
  }

  std::vector<Offset> begin_, end_;  // [row]
  std::vector<Index> columns_;       // with room to read sixteen from the begin of any row
  std::vector<Index> n_below_;       // [local node]
};

/// Makes a pattern. It is symmetric between owned nodes, and ghosts are numbered after them: what
/// is beyond the diagonal, row after row, gives all columns in ascending order.
class PatternBuilder {
 public:
  explicit PatternBuilder(const mesh::Mesh& mesh) : n_owned_(mesh.nodes->n_owned()), upper_(mesh) {
    pattern_.map = mesh.nodes;
  }

  solver::Pattern build() {
    count();
    pattern_.columns.resize(static_cast<std::size_t>(pattern_.ghost_offsets.back()));
    next_.assign(pattern_.owned_offsets.begin(), pattern_.owned_offsets.end() - 1);
    for (Index row = 0; row < n_owned_; ++row)
      if (upper_.row(row).size() <= 16)
        fill_short(row);
      else
        fill_long(row);
    return std::move(pattern_);
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  void count() {
    std::vector<Offset>&owned = pattern_.owned_offsets, &ghost = pattern_.ghost_offsets;
    for (std::vector<Offset>* offsets : {&owned, &ghost}) {
      offsets->reserve(at(n_owned_) + 1);
      offsets->push_back(0);
    }
    for (Index row = 0; row < n_owned_; ++row) {
      const std::span<const Index> columns = upper_.row(row);
      const auto n_ghosts = std::count_if(columns.begin(), columns.end(),
                                          [&](Index column) { return column >= n_owned_; });
      const auto n_upper = static_cast<Offset>(columns.size()) - n_ghosts;
      owned.push_back(owned.back() + upper_.n_below(row) + 1 + n_upper);
      ghost.push_back(ghost.back() + n_ghosts);
    }
    for (Offset& offset : ghost) offset += owned.back();
  }

  /// Every column counts those below it, eight at a time: quicker than comparing and swapping.
  void fill_short(Index row) {
    const std::span<const Index> columns = upper_.row(row);
    const Index* sixteen = columns.data();  // those beyond the row are counted, too
    alignas(32) Index ranks[16];
    count_lower_among_16(sixteen, columns, ranks);
    Index* all = pattern_.columns.data();
    Index* after_diagonal = place_diagonal(row);
    const Offset ghosts_end = pattern_.ghost_offsets[at(row) + 1];
    const auto n = static_cast<Offset>(columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Index column = columns[k];
      if (column < n_owned_) {
        after_diagonal[ranks[k]] = column;
        all[next_[at(column)]++] = row;
      } else {
        all[ghosts_end - n + ranks[k]] = column;
      }
    }
  }
  void fill_long(Index row) {
    const std::span<Index> columns = upper_.row(row);
    std::sort(columns.begin(), columns.end());
    Index* to = place_diagonal(row);
    Index* ghost = pattern_.columns.data() + pattern_.ghost_offsets[at(row)];
    for (const Index column : columns) {
      if (column >= n_owned_) {
        *ghost++ = column;
        continue;
      }
      *to++ = column;
      pattern_.columns[static_cast<std::size_t>(next_[at(column)]++)] = row;
    }
  }
  /// The columns below the row stand there already. Returns where those after it begin.
  Index* place_diagonal(Index row) {
    Index* diagonal = pattern_.columns.data() + next_[at(row)];
    *diagonal = row;
    return diagonal + 1;
  }

  Index n_owned_;
  UpperColumns upper_;
  solver::Pattern pattern_;
  std::vector<Offset> next_;  // [row] of the next column below the diagonal
};

/// The places of the cells of a block.
class PlaceFinder {
 public:
  explicit PlaceFinder(const solver::Pattern& pattern)
      : pattern_(pattern), n_owned_(pattern.map->n_owned()) {
    const auto view = [](const auto& values) {
      return gpu::View<const std::remove_cvref_t<decltype(values[0])>, 1>(values.data(),
                                                                          values.size());
    };
    matrix_ = {view(pattern.owned_offsets),
               view(pattern.ghost_offsets),
               view(pattern.columns),
               {},
               n_owned_};
  }
  void find(std::span<const Index> nodes, int n_nodes, std::span<std::uint16_t> places) const {
    const auto n = static_cast<std::size_t>(n_nodes);
    for (std::size_t slot = 0; slot < nodes.size(); ++slot) {
      const Index row = nodes[slot];
      if (row >= n_owned_) continue;
      for (std::size_t b = 0; b < n; ++b)
        places[slot * n + b] = place_of(row, nodes[slot / n * n + b]);
    }
  }

 private:
  std::uint16_t place_of(Index row, Index column) const {
    const auto r = static_cast<std::size_t>(row);
    const Offset begin = pattern_.owned_offsets[r], entry = find_entry(matrix_, row, column);
    const Offset place = column < n_owned_ ? entry - begin
                                           : entry - pattern_.ghost_offsets[r] +
                                                 pattern_.owned_offsets[r + 1] - begin;
    constexpr Offset most = std::numeric_limits<std::uint16_t>::max();
    if (place > most)
      throw MeshError(fmt::format("a node shares cells with {} others, more than {}", place, most));
    return static_cast<std::uint16_t>(place);
  }

  const solver::Pattern& pattern_;
  Index n_owned_;
  MatrixView matrix_;
};

}  // namespace

MatrixLayout make_matrix_layout(const Discretisation& discretisation) {
  const auto pattern =
      std::make_shared<const solver::Pattern>(PatternBuilder(discretisation.mesh()).build());
  MatrixLayout layout{pattern, {}};
  if (scatters(discretisation.device())) return layout;
  const PlaceFinder finder(*pattern);
  for (const mesh::CellBlock& block : discretisation.mesh().cells) {
    const int n_nodes = mesh::traits(block.type).n_nodes;
    layout.places.emplace_back(discretisation.device(),
                               static_cast<Offset>(block.nodes.size()) * n_nodes, "assembly map");
    finder.find(block.nodes, n_nodes, gpu::write(layout.places.back()).span());
  }
  return layout;
}

}  // namespace trestle::fem
