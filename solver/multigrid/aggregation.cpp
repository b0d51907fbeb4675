#include "solver/multigrid/aggregation.hpp"

#include <cmath>

namespace trestle::solver {
namespace {

double squared_norm(const BlockRowsOnHost& a, Offset entry) {
  const double* block = a.block(entry);
  double sum = 0;
  for (Offset k = 0; k < a.block_size(); ++k) sum += block[k] * block[k];
  return sum;
}

/// |A_ii| of owned and ghost nodes.
std::vector<double> diagonal_norms(const BlockRowsOnHost& a, const IndexMap& map) {
  std::vector<double> norms(static_cast<std::size_t>(map.n_local()), 0.0);
  for (Index row = 0; row < a.n_rows(); ++row)
    a.visit_row(row, [&](Offset e, Index column) {
      if (column == row) norms[static_cast<std::size_t>(row)] = std::sqrt(squared_norm(a, e));
    });
  update_ghosts(map, std::span<double>(norms));
  return norms;
}

/// The nodes that take part, and what they are joined by.
class StrongGraph {
 public:
  StrongGraph(const BlockRowsOnHost& a, const std::vector<std::uint8_t>& strong)
      : a_(a), strong_(strong) {}

  Index n() const { return a_.n_rows(); }
  /// Calls visit(neighbour, entry) for the owned strong neighbours of a node.
  template <class Visit>
  void neighbours(Index node, const Visit& visit) const {
    const auto i = static_cast<std::size_t>(node);
    for (Offset e = a_.offsets[i]; e < a_.offsets[i + 1]; ++e)
      if (strong_[static_cast<std::size_t>(e)] != 0)
        visit(a_.columns[static_cast<std::size_t>(e)], e);
  }
  /// Whether the node has a strong coupling at all, ghosts included.
  bool coupled(Index node) const {
    bool found = false;
    a_.visit_row(
        node, [&](Offset e, Index) { found = found || strong_[static_cast<std::size_t>(e)] != 0; });
    return found;
  }
  double strength(Offset entry) const { return squared_norm(a_, entry); }

 private:
  const BlockRowsOnHost& a_;
  const std::vector<std::uint8_t>& strong_;
};

constexpr Index free_node = -1;
constexpr Index isolated = -2;

/// Nodes none of whose neighbours is taken, with all of these.
void take_whole_neighbourhoods(const StrongGraph& graph, Aggregates& aggregates) {
  for (Index node = 0; node < graph.n(); ++node) {
    if (aggregates.of[static_cast<std::size_t>(node)] != free_node) continue;
    if (!graph.coupled(node)) {
      aggregates.of[static_cast<std::size_t>(node)] = isolated;
      continue;
    }
    bool all_free = true;
    int n_neighbours = 0;
    graph.neighbours(node, [&](Index other, Offset) {
      all_free = all_free && aggregates.of[static_cast<std::size_t>(other)] == free_node;
      ++n_neighbours;
    });
    if (!all_free || n_neighbours == 0) continue;
    aggregates.of[static_cast<std::size_t>(node)] = aggregates.n;
    graph.neighbours(node, [&](Index other, Offset) {
      aggregates.of[static_cast<std::size_t>(other)] = aggregates.n;
    });
    ++aggregates.n;
  }
}

/// Nodes beside the aggregates of the first pass join the one that they couple to most.
void join_strongest(const StrongGraph& graph, Aggregates& aggregates) {
  const std::vector<Index> before = aggregates.of;
  for (Index node = 0; node < graph.n(); ++node) {
    if (before[static_cast<std::size_t>(node)] != free_node) continue;
    double most = 0;
    graph.neighbours(node, [&](Index other, Offset e) {
      const Index candidate = before[static_cast<std::size_t>(other)];
      if (candidate < 0 || graph.strength(e) <= most) return;
      most = graph.strength(e);
      aggregates.of[static_cast<std::size_t>(node)] = candidate;
    });
  }
}

/// What is still left makes aggregates of its own.
void take_rest(const StrongGraph& graph, Aggregates& aggregates) {
  for (Index node = 0; node < graph.n(); ++node) {
    if (aggregates.of[static_cast<std::size_t>(node)] != free_node) continue;
    aggregates.of[static_cast<std::size_t>(node)] = aggregates.n;
    graph.neighbours(node, [&](Index other, Offset) {
      Index& of = aggregates.of[static_cast<std::size_t>(other)];
      if (of == free_node) of = aggregates.n;
    });
    ++aggregates.n;
  }
}

}  // namespace

std::vector<std::uint8_t> strong_entries(const BlockRowsOnHost& a, const IndexMap& map,
                                         double threshold) {
  const std::vector<double> norms = diagonal_norms(a, map);
  std::vector<std::uint8_t> strong(a.columns.size(), 0);
  const double squared = threshold * threshold;
  for (Index row = 0; row < a.n_rows(); ++row) {
    const double limit = squared * norms[static_cast<std::size_t>(row)];
    a.fetch_behind(row);
    a.visit_row(row, [&](Offset e, Index column) {
      strong[static_cast<std::size_t>(e)] =
          column != row && squared_norm(a, e) > limit * norms[static_cast<std::size_t>(column)];
    });
  }
  return strong;
}

Aggregates aggregate(const BlockRowsOnHost& a, const std::vector<std::uint8_t>& strong) {
  const StrongGraph graph(a, strong);
  Aggregates aggregates;
  aggregates.of.assign(static_cast<std::size_t>(graph.n()), free_node);
  take_whole_neighbourhoods(graph, aggregates);
  join_strongest(graph, aggregates);
  take_rest(graph, aggregates);
  for (Index& of : aggregates.of)
    if (of == isolated) of = -1;
  return aggregates;
}

}  // namespace trestle::solver
