// Checks of nodes: coincident ones, those that no cell uses, separate parts, the plane of a 2D
// mesh.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/number.hpp"
#include "mesh/check_steps.hpp"
#include "mesh/node_boxes.hpp"
#include "mesh/slices.hpp"
#include "mesh/union_find.hpp"

namespace trestle::mesh {
namespace {

/// Finds pairs of near nodes with a grid of cells that are wider than the tolerance.
class NodeGrid {
 public:
  NodeGrid(const RawMesh& mesh, double tolerance)
      : mesh_(mesh), boxes_(bounds_of(mesh), tolerance) {
    for (Index i = 0; i < static_cast<Index>(mesh.n_nodes); ++i)
      entries_.push_back({boxes_.key(point_of(mesh, i)), i});
    std::sort(entries_.begin(), entries_.end());
  }

  /// Calls found(i, j) for every pair i < j that is not farther apart than the tolerance.
  template <class Found>
  void for_each_pair(Found found) const {
    for (const auto& [own, i] : entries_) {
      const Point x = point_of(mesh_, i);
      boxes_.for_each_near(
          x, [&, own = own, i = i](std::uint64_t key) { search(key, own, i, x, found); });
    }
  }

 private:
  using Entry = std::pair<std::uint64_t, Index>;

  template <class Found>
  void search(std::uint64_t wanted, std::uint64_t own, Index i, const Point& x,
              Found& found) const {
    // In the node's own cell the entries behind it are those of higher nodes.
    auto at = std::upper_bound(entries_.begin(), entries_.end(), Entry{wanted, i});
    if (wanted == own && (at == entries_.end() || at->first != own)) return;
    for (; at != entries_.end() && at->first == wanted; ++at) {
      if (boxes_.are_near(x, point_of(mesh_, at->second))) found(i, at->second);
    }
  }

  const RawMesh& mesh_;
  NodeBoxes boxes_;
  std::vector<Entry> entries_;
};

std::vector<std::uint8_t> nodes_of_cells(const RawMesh& mesh) {
  std::vector<std::uint8_t> used(static_cast<std::size_t>(mesh.n_nodes), 0);
  for (const RawBlock& block : mesh.cells)
    for (const GlobalIndex node : block.nodes) used[static_cast<std::size_t>(node)] = 1;
  return used;
}

/// The names of the groups of `set`, or their tags.
std::string names_of(const RawMesh& mesh, int set) {
  std::string names;
  for (const int g : mesh.group_sets[static_cast<std::size_t>(set)]) {
    const Group& group = mesh.groups[static_cast<std::size_t>(g)];
    names += (names.empty() ? "" : ", ") +
             (group.name.empty() ? std::to_string(group.tag) : "\"" + group.name + "\"");
  }
  return names;
}

/// Drops elements of lower dimension that use a node outside the cells; warns of each group.
void drop_dangling_entities(RawMesh& mesh, const std::vector<std::uint8_t>& used) {
  std::vector<GlobalIndex> dropped(mesh.group_sets.size(), 0);
  for (RawBlock& block : mesh.entities) {
    std::vector<std::uint8_t> keep(block.size(), 1);
    for (std::size_t k = 0; k < block.nodes.size(); ++k)
      if (used[static_cast<std::size_t>(block.nodes[k])] == 0) keep[k / width_of(block)] = 0;
    for (std::size_t e = 0; e < block.size(); ++e)
      if (keep[e] == 0) ++dropped[static_cast<std::size_t>(block.group_set[e])];
    keep_entities(block, keep);
  }
  for (std::size_t set = 0; set < dropped.size(); ++set)
    if (dropped[set] > 0)
      mesh.warnings.push_back(fmt::format(
          "Left out {} of the group {} off all cells of dimension {}.",
          counted(dropped[set], "element"), names_of(mesh, static_cast<int>(set)), mesh.dim));
}

/// Throws where merging would join nodes of one cell.
void refuse_collapse(const RawMesh& mesh, UnionFind& same, double tolerance) {
  std::vector<std::int64_t> collapsed;
  for (const RawBlock& block : mesh.cells)
    for (std::size_t e = 0; e < block.size(); ++e) {
      const std::size_t n = width_of(block);
      const GlobalIndex* nodes = block.nodes.data() + e * n;
      std::array<GlobalIndex, max_nodes_per_cell> merged;
      for (std::size_t a = 0; a < n; ++a) merged[a] = same.root(static_cast<Index>(nodes[a]));
      if (repeated_node(merged.data(), n) >= 0 && repeated_node(nodes, n) < 0)
        collapsed.push_back(block.tags[e]);
    }
  if (!collapsed.empty())
    throw MeshError(fmt::format(
        "the merge tolerance, {:.3g} m, is as long as edges of cells: it would join nodes of {} "
        "(elements {}); take a smaller one",
        tolerance, counted(static_cast<std::int64_t>(collapsed.size()), "cell"),
        list_of(collapsed)));
}

}  // namespace

void merge_coincident_nodes(RawMesh& mesh, double relative_tolerance) {
  if (mesh.n_nodes == 0) return;
  const double tolerance = relative_tolerance * diagonal(mesh);
  UnionFind same(static_cast<std::size_t>(mesh.n_nodes));
  NodeGrid(mesh, tolerance).for_each_pair([&](Index a, Index b) { same.join(a, b); });
  std::vector<Index> new_index(static_cast<std::size_t>(mesh.n_nodes), -1);
  std::vector<std::int64_t> merged;
  Index count = 0;
  for (Index i = 0; i < static_cast<Index>(mesh.n_nodes); ++i) {
    if (same.root(i) == i)
      new_index[static_cast<std::size_t>(i)] = count++;
    else
      merged.push_back(mesh.node_tags[static_cast<std::size_t>(i)]);
  }
  if (merged.empty()) return;
  refuse_collapse(mesh, same, tolerance);
  for (auto* blocks : {&mesh.cells, &mesh.entities})
    for (RawBlock& block : *blocks)
      for (GlobalIndex& node : block.nodes) node = same.root(static_cast<Index>(node));
  renumber_nodes(mesh, new_index);
  mesh.warnings.push_back(fmt::format("Merged {} with others not farther away than {:.3g} m: {}.",
                                      counted(static_cast<std::int64_t>(merged.size()), "node"),
                                      tolerance, list_of(merged)));
}

void drop_orphans(RawMesh& mesh) {
  const std::vector<std::uint8_t> used = nodes_of_cells(mesh);
  drop_dangling_entities(mesh, used);
  std::vector<std::int64_t> orphans;
  std::vector<Index> new_index(used.size(), -1);
  Index count = 0;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] != 0)
      new_index[i] = count++;
    else
      orphans.push_back(mesh.node_tags[i]);
  }
  if (orphans.empty()) return;
  renumber_nodes(mesh, new_index);
  mesh.warnings.push_back(fmt::format("Left out {} that no cell of dimension {} uses: {}.",
                                      counted(static_cast<std::int64_t>(orphans.size()), "node"),
                                      mesh.dim, list_of(orphans)));
}

void check_plane(const RawMesh& mesh) {
  if (mesh.dim != 2 || mesh.n_nodes == 0) return;
  constexpr double round_off = 1e-6;  // of the size of the mesh; single precision has 1e-7
  double low = mesh.coordinates[2], high = low;
  for (std::size_t i = 2; i < mesh.coordinates.size(); i += 3) {
    low = std::min(low, mesh.coordinates[i]);
    high = std::max(high, mesh.coordinates[i]);
  }
  if (high - low > round_off * diagonal(mesh))
    throw MeshError(fmt::format(
        "the mesh is not in the x-y plane: it has cells of dimension 2 only, and z runs "
        "from {:.6g} to {:.6g} m: turn the model so that z is constant, or save the "
        "volumes too, for which Gmsh wants a Physical Volume",
        low, high));
}

void warn_of_parts(RawMesh& mesh) {
  UnionFind parts(static_cast<std::size_t>(mesh.n_nodes));
  for (const RawBlock& block : mesh.cells) {
    const std::size_t n = width_of(block);
    for (std::size_t k = 0; k < block.nodes.size(); ++k)
      if (k % n != 0)
        parts.join(static_cast<Index>(block.nodes[k - k % n]), static_cast<Index>(block.nodes[k]));
  }
  Index n_parts = 0;
  for (Index i = 0; i < static_cast<Index>(mesh.n_nodes); ++i) n_parts += parts.root(i) == i;
  const double tolerance = coincidence * diagonal(mesh);
  GlobalIndex n_pairs = 0;
  std::vector<std::int64_t> tags;
  if (mesh.n_nodes > 0)
    NodeGrid(mesh, tolerance).for_each_pair([&](Index a, Index b) {
      if (++n_pairs == 1)
        for (const Index i : {a, b}) tags.push_back(mesh.node_tags[static_cast<std::size_t>(i)]);
    });
  if (n_parts < 2 && n_pairs == 0) return;
  std::string text = text_of_parts(n_parts);
  if (n_pairs > 0)
    text += fmt::format(
        ", {} (tolerance {:.3g} m), such as nodes {} and {}: nothing passes "
        "between them; set a merge tolerance for the mesh to join them",
        counted(n_pairs, "coincident node pair"), tolerance, tags[0], tags[1]);
  mesh.warnings.push_back(text + ".");
}

}  // namespace trestle::mesh
