#include "fem/matrix_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <span>

#include "core/error.hpp"
#include "fem/cells/dispatch.hpp"

namespace trestle::fem {
namespace {

constexpr std::size_t max_columns = std::numeric_limits<std::uint16_t>::max();

/// The columns of one row at a time: the nodes that share a cell with the row's node.
class RowColumns {
 public:
  explicit RowColumns(std::size_t n_nodes) : marks_(n_nodes) {}

  void start(Index row) {
    row_ = row;
    n_ = 0;
  }
  /// Takes the nodes of the cells at `slots` that are new to the row.
  template <int n_nodes>
  void collect(const Index* cell_nodes, std::span<const Index> slots) {
    const std::size_t most = n_ + slots.size() * n_nodes + most_ranked;
    if (most > found_.size()) found_.resize(2 * most);
    std::size_t n = n_;
    for (const Index slot : slots) {
      const Index* nodes = cell_nodes + slot / n_nodes * n_nodes;
      for (int b = 0; b < n_nodes; ++b) {
        Mark& mark = marks_[static_cast<std::size_t>(nodes[b])];
        found_[n] = nodes[b];
        n += mark.row != row_ ? 1 : 0;
        mark.row = row_;
      }
    }
    n_ = n;
  }
  /// The columns in ascending order, owned nodes first as they are numbered first.
  std::span<const Index> sort() {
    if (n_ > max_columns)
      throw MeshError(
          fmt::format("a node shares cells with {} others, more than {}", n_, max_columns));
    sorted_.resize(n_);
    if (n_ <= 16) {
      sort_by_rank<16>();
    } else if (n_ <= 32) {
      sort_by_rank<32>();
    } else if (n_ <= most_ranked) {
      sort_by_rank<most_ranked>();
    } else {
      std::copy_n(found_.begin(), n_, sorted_.begin());
      std::sort(sorted_.begin(), sorted_.end());
    }
    for (std::size_t k = 0; k < n_; ++k)
      marks_[static_cast<std::size_t>(sorted_[k])].place = static_cast<Index>(k);
    return sorted_;
  }
  /// The places of the nodes of the cells at `slots` in the sorted row.
  template <int n_nodes>
  void store_places(const Index* cell_nodes, std::span<const Index> slots,
                    std::uint16_t* places) const {
    for (const Index slot : slots) {
      const Index* nodes = cell_nodes + slot / n_nodes * n_nodes;
      std::uint16_t* of_slot = places + static_cast<std::size_t>(slot) * n_nodes;
      for (int b = 0; b < n_nodes; ++b)
        of_slot[b] = static_cast<std::uint16_t>(marks_[static_cast<std::size_t>(nodes[b])].place);
    }
  }

 private:
  struct Mark {
    Index row = -1;   // the last row that found the node
    Index place = 0;  // in that row
  };
  static constexpr std::size_t most_ranked = 96;

  /// Counts for every column those below it, eight at a time: quicker than comparing and swapping
  /// for the short rows of a mesh. `padded` columns are counted, in registers.
  template <std::size_t padded>
  void sort_by_rank() {
    std::fill(found_.begin() + static_cast<std::ptrdiff_t>(n_),
              found_.begin() + static_cast<std::ptrdiff_t>(padded), 0);
    Index ranks[padded] = {};
    for (std::size_t k = 0; k < n_; ++k) {
      const Index column = found_[k];
      for (std::size_t i = 0; i < padded; ++i) ranks[i] += column < found_[i] ? 1 : 0;
    }
    for (std::size_t k = 0; k < n_; ++k) sorted_[static_cast<std::size_t>(ranks[k])] = found_[k];
  }

  std::vector<Mark> marks_;  // [local node]
  Index row_ = -1;
  std::size_t n_ = 0;
  std::vector<Index> found_;  // [n_] in the order of the cells, then padding
  std::vector<Index> sorted_;
};

/// Columns of consecutive rows in pieces, so that the whole array is made at its exact size.
class Pieces {
 public:
  void add(std::span<const Index> columns) {
    if (pieces_.empty() || pieces_.back().size() + columns.size() > pieces_.back().capacity())
      pieces_.emplace_back().reserve(std::max(piece, columns.size()));
    pieces_.back().insert(pieces_.back().end(), columns.begin(), columns.end());
    size_ += static_cast<Offset>(columns.size());
  }
  Offset size() const { return size_; }
  /// Appends everything to `all` and frees it here.
  void move_to(std::vector<Index>& all) {
    for (std::vector<Index>& part : pieces_) {
      all.insert(all.end(), part.begin(), part.end());
      std::vector<Index>().swap(part);
    }
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 18;
  std::vector<std::vector<Index>> pieces_;
  Offset size_ = 0;
};

HostIncidence incidence_of(const Discretisation& discretisation, std::size_t b) {
  const EntityBlock& block = discretisation.blocks()[b];
  if (scatters(discretisation.device()))
    return make_incidence(discretisation.mesh().nodes->n_owned(),
                          discretisation.mesh().cells[b].nodes);
  return {gpu::download(block.around.offsets), gpu::download(block.around.slots)};
}

class LayoutBuilder {
 public:
  explicit LayoutBuilder(const Discretisation& discretisation)
      : mesh_(discretisation.mesh()), columns_(static_cast<std::size_t>(mesh_.nodes->n_local())) {
    for (std::size_t b = 0; b < mesh_.cells.size(); ++b) {
      const EntityBlock& block = discretisation.blocks()[b];
      around_.push_back(incidence_of(discretisation, b));
      places_.emplace_back(discretisation.device(),
                           block.n_entities * block.n_nodes * block.n_nodes, "assembly map");
    }
  }

  MatrixLayout build() {
    auto pattern = std::make_shared<solver::Pattern>();
    pattern->map = mesh_.nodes;
    if (mesh_.dim == 2)
      build_rows<Dispatch2d>(*pattern);
    else
      build_rows<Dispatch3d>(*pattern);
    return {std::move(pattern), std::move(places_)};
  }

 private:
  template <class Dispatch>
  void build_rows(solver::Pattern& pattern) {
    const Index n_owned = mesh_.nodes->n_owned();
    std::deque<gpu::HostAccess<std::uint16_t>> places;
    for (gpu::Array<std::uint16_t>& of_block : places_) places.emplace_back(of_block);
    pattern.owned_offsets.reserve(static_cast<std::size_t>(n_owned) + 1);
    pattern.ghost_offsets.reserve(static_cast<std::size_t>(n_owned) + 1);
    pattern.owned_offsets.push_back(0);
    pattern.ghost_offsets.push_back(0);
    Pieces owned, ghosts;
    for (Index row = 0; row < n_owned; ++row) {
      columns_.start(row);
      visit<Dispatch>(row,
                      [&]<int n>(std::size_t, const Index* nodes, std::span<const Index> slots) {
                        columns_.collect<n>(nodes, slots);
                      });
      const std::span<const Index> sorted = columns_.sort();
      visit<Dispatch>(row,
                      [&]<int n>(std::size_t b, const Index* nodes, std::span<const Index> slots) {
                        columns_.store_places<n>(nodes, slots, places[b].begin());
                      });
      const auto first_ghost = std::lower_bound(sorted.begin(), sorted.end(), n_owned);
      const auto n_own = static_cast<std::size_t>(first_ghost - sorted.begin());
      owned.add(sorted.first(n_own));
      ghosts.add(sorted.subspan(n_own));
      pattern.owned_offsets.push_back(owned.size());
      pattern.ghost_offsets.push_back(ghosts.size());
    }
    for (Offset& offset : pattern.ghost_offsets) offset += owned.size();
    pattern.columns.reserve(static_cast<std::size_t>(owned.size() + ghosts.size()));
    owned.move_to(pattern.columns);
    ghosts.move_to(pattern.columns);
  }

  /// work<nodes per cell>(block, nodes of its cells, slots around the row) for every block.
  template <class Dispatch, class Work>
  void visit(Index row, const Work& work) const {
    for (std::size_t b = 0; b < around_.size(); ++b) {
      const HostIncidence& around = around_[b];
      const auto r = static_cast<std::size_t>(row);
      const auto first = static_cast<std::size_t>(around.offsets[r]);
      const auto n = static_cast<std::size_t>(around.offsets[r + 1]) - first;
      if (n == 0) continue;
      Dispatch::call(mesh::traits(mesh_.cells[b].type).n_nodes, [&]<int n_nodes>() {
        work.template operator()<n_nodes>(b, mesh_.cells[b].nodes.data(),
                                          std::span(around.slots).subspan(first, n));
      });
    }
  }

  const mesh::Mesh& mesh_;
  RowColumns columns_;
  std::vector<HostIncidence> around_;
  std::vector<gpu::Array<std::uint16_t>> places_;
};

}  // namespace

MatrixLayout make_matrix_layout(const Discretisation& discretisation) {
  return LayoutBuilder(discretisation).build();
}

}  // namespace trestle::fem
