// Checks of nodes of a mesh in slices: that cells use all of them, connected parts, coincident
// ones.
#include <algorithm>
#include <limits>

#include "mesh/check_slices_steps.hpp"
#include "mesh/node_boxes.hpp"
#include "mesh/sort_keys.hpp"
#include "mesh/union_find.hpp"

namespace trestle::mesh {
namespace {

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

/// The nodes that cells of several ranks use, on these ranks and at their homes, the ranks whose
/// slices hold them.
class SharedNodes {
 public:
  /// Collective.
  SharedNodes(const Comm& comm, GlobalIndex n_nodes, const OwnCells& cells)
      : comm_(comm), own_(share_of(n_nodes, comm.rank(), comm.size())) {
    const std::size_t n_ranks = at(comm.size());
    std::vector<std::vector<GlobalIndex>> ids(n_ranks);
    here_.resize(n_ranks);
    for (std::size_t i = 0; i < cells.ids.size(); ++i) {
      const std::size_t home = at(share_owner(n_nodes, comm.size(), cells.ids[i]));
      ids[home].push_back(cells.ids[i]);
      here_[home].push_back(static_cast<Index>(i));
    }
    ids = comm.exchange(std::move(ids));
    std::vector<std::uint8_t> users(at(own_.count()), 0);
    for (const auto& part : ids)
      for (const GlobalIndex id : part)
        if (users[at(id - own_.first)] < 2) ++users[at(id - own_.first)];
    all_used_ = comm.all(std::ranges::find(users, 0) == users.end());
    keep_shared(ids, users);
  }

  bool all_used() const { return all_used_; }

  /// label[i] of node i of the cells, the lowest over all ranks with cells there; whether one
  /// became lower. Collective.
  bool lower(std::vector<GlobalIndex>& label) const {
    std::vector<std::vector<GlobalIndex>> labels(here_.size());
    for (std::size_t r = 0; r < here_.size(); ++r)
      for (const Index i : here_[r]) labels[r].push_back(label[at(i)]);
    labels = comm_.exchange(std::move(labels));
    std::vector<GlobalIndex> lowest(at(own_.count()), std::numeric_limits<GlobalIndex>::max());
    for (std::size_t r = 0; r < there_.size(); ++r)
      for (std::size_t k = 0; k < there_[r].size(); ++k)
        lowest[at(there_[r][k])] = std::min(lowest[at(there_[r][k])], labels[r][k]);
    for (std::size_t r = 0; r < there_.size(); ++r)
      for (std::size_t k = 0; k < there_[r].size(); ++k) labels[r][k] = lowest[at(there_[r][k])];
    labels = comm_.exchange(std::move(labels));
    bool changed = false;
    for (std::size_t r = 0; r < here_.size(); ++r)
      for (std::size_t k = 0; k < here_[r].size(); ++k)
        if (GlobalIndex& own = label[at(here_[r][k])]; labels[r][k] < own) {
          own = labels[r][k];
          changed = true;
        }
    return changed;
  }

 private:
  /// Collective.
  void keep_shared(const std::vector<std::vector<GlobalIndex>>& ids,
                   const std::vector<std::uint8_t>& users) {
    std::vector<std::vector<std::uint8_t>> shared(ids.size());
    there_.resize(ids.size());
    for (std::size_t r = 0; r < ids.size(); ++r)
      for (const GlobalIndex id : ids[r]) {
        shared[r].push_back(users[at(id - own_.first)] > 1);
        if (shared[r].back() != 0) there_[r].push_back(static_cast<Index>(id - own_.first));
      }
    shared = comm_.exchange(std::move(shared));
    for (std::size_t r = 0; r < here_.size(); ++r) {
      std::size_t kept = 0;
      for (std::size_t k = 0; k < here_[r].size(); ++k)
        if (shared[r][k] != 0) here_[r][kept++] = here_[r][k];
      here_[r].resize(kept);
    }
  }

  const Comm& comm_;
  Share own_;
  bool all_used_ = false;
  std::vector<std::vector<Index>> here_;   // [home][k]: nodes of this rank's cells
  std::vector<std::vector<Index>> there_;  // [rank][k]: the same seen from here as their home
};

/// Number of different labels over all ranks, which are ids of nodes. Collective.
GlobalIndex count_labels(const Comm& comm, GlobalIndex n_nodes, std::vector<GlobalIndex> labels) {
  unite(labels);
  std::vector<std::vector<GlobalIndex>> to(at(comm.size()));
  for (const GlobalIndex label : labels)
    to[at(share_owner(n_nodes, comm.size(), label))].push_back(label);
  return comm.sum(static_cast<GlobalIndex>(united(comm, std::move(to)).size()));
}

/// Every part of the mesh takes the lowest id of its nodes: within a rank's cells at once, over
/// the nodes that ranks share in rounds. -1 where they do not end. Collective.
GlobalIndex count_parts(const Comm& comm, GlobalIndex n_nodes, const OwnCells& cells,
                        const SharedNodes& shared) {
  UnionFind parts(cells.ids.size());
  for (const RawBlock& block : cells.mesh.cells) {
    const std::size_t n = width_of(block);
    for (std::size_t k = 0; k < block.nodes.size(); ++k)
      if (k % n != 0)
        parts.join(static_cast<Index>(block.nodes[k - k % n]), static_cast<Index>(block.nodes[k]));
  }
  std::vector<GlobalIndex> label = cells.ids;
  const auto spread = [&] {
    for (std::size_t i = 0; i < label.size(); ++i) {
      GlobalIndex& of_part = label[at(parts.root(static_cast<Index>(i)))];
      of_part = std::min(of_part, label[i]);
    }
    for (std::size_t i = 0; i < label.size(); ++i)
      label[i] = label[at(parts.root(static_cast<Index>(i)))];
  };
  spread();
  constexpr int most_rounds = 200;
  for (int round = 0; round < most_rounds; ++round) {
    const bool changed = shared.lower(label);
    if (!comm.any(changed)) return count_labels(comm, n_nodes, std::move(label));
    spread();
  }
  return -1;
}

}  // namespace

NodeUse find_node_use(const Comm& comm, GlobalIndex n_nodes, const OwnCells& cells) {
  const SharedNodes shared(comm, n_nodes, cells);
  if (!shared.all_used()) return {false, -1};
  return {true, count_parts(comm, n_nodes, cells, shared)};
}

bool has_coincident_nodes(const Comm& comm, const RawMesh& mesh, const Bounds& bounds) {
  struct Visitor {
    std::uint64_t box;
    Point x;
  };
  if (mesh.n_nodes == 0) return false;
  const NodeBoxes boxes(bounds, coincidence * diagonal(bounds));
  const auto n_ranks = static_cast<std::uint64_t>(comm.size());
  std::vector<std::vector<Visitor>> to(n_ranks);
  for (GlobalIndex i = 0; i < static_cast<GlobalIndex>(mesh.node_tags.size()); ++i) {
    const Point x = point_of(mesh, i);
    boxes.for_each_near(x, [&](std::uint64_t box) {
      // Neighbouring boxes go to different ranks.
      const auto node = static_cast<GlobalIndex>(box);
      to[hash_of(&node, 1) % n_ranks].push_back({box, x});
    });
  }
  std::vector<std::uint64_t> keys;
  std::vector<Point> points;
  for (const auto& part : comm.exchange(std::move(to)))
    for (const Visitor& visitor : part) {
      keys.push_back(visitor.box);
      points.push_back(visitor.x);
    }
  const std::vector<Index> order = order_by_key(keys, std::less<Index>());
  bool found = false;
  for (std::size_t first = 0, end = 0; first < order.size() && !found; first = end) {
    while (end < order.size() && keys[at(order[end])] == keys[at(order[first])]) ++end;
    for (std::size_t a = first; a < end && !found; ++a)
      for (std::size_t b = first; b < a && !found; ++b)
        found = boxes.are_near(points[at(order[a])], points[at(order[b])]);
  }
  return comm.any(found);
}

}  // namespace trestle::mesh
