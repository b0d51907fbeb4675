// `with_order`: adds the nodes of order 2 to a linear mesh, or drops those of a quadratic one.
#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "mesh/key_table.hpp"
#include "mesh/mesh.hpp"
#include "mesh/slices.hpp"

namespace trestle::mesh {
namespace {

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

template <class Work>
void for_each_block(RawMesh& mesh, const Work& work) {
  for (RawBlock& block : mesh.cells) work(block);
  for (RawBlock& block : mesh.entities) work(block);
}

/// Nodes that become new slices: canonical ids, coordinates, tags.
struct SlicedNodes {
  std::vector<GlobalIndex> ids;
  std::vector<double> coordinates;
  std::vector<std::int64_t> tags;
};

/// Cuts the nodes anew into shares of `n`. Collective.
void replace_nodes(const Comm& comm, const SlicedNodes& nodes, GlobalIndex n, RawMesh& mesh) {
  mesh.n_nodes = n;
  mesh.coordinates = place<double>(comm, n, nodes.ids, nodes.coordinates, 3);
  mesh.node_tags = place<std::int64_t>(comm, n, nodes.ids, nodes.tags);
}

/// The new nodes in the middle of edges (width 2), quadrilaterals (4) or hexahedra (8), numbered in
/// the order of their sorted vertex ids.
template <std::size_t width>
class MidNodes {
 public:
  using Key = VertexKey<width>;

  /// Takes the mid nodes of a widened block; puts their local numbers into it.
  void collect(RawBlock& block) {
    for_each_mid_node(
        block, [&](const GlobalIndex* vertices, const NodeParents& parents, GlobalIndex& node) {
          node = table_.insert(make_vertex_key<width>(
              parents.n, [&](int k) { return vertices[parents.vertices[at(k)]]; }));
        });
  }

  /// Numbers all of them, from `first` on, where their lowest vertices are at home; returns their
  /// count over all ranks. Collective.
  GlobalIndex number(const Comm& comm, GlobalIndex n_nodes, GlobalIndex first) {
    std::vector<std::vector<Key>> to(at(comm.size()));
    std::vector<int> home_of;
    for (const Key& key : table_.keys()) {
      home_of.push_back(share_owner(n_nodes, comm.size(), key[0]));
      to[at(home_of.back())].push_back(key);
    }
    const auto asked = comm.exchange(std::move(to));
    for (const auto& part : asked) at_home_.insert(at_home_.end(), part.begin(), part.end());
    std::sort(at_home_.begin(), at_home_.end());
    at_home_.erase(std::unique(at_home_.begin(), at_home_.end()), at_home_.end());

    const auto n_here = static_cast<GlobalIndex>(at_home_.size());
    first_here_ = first + comm.exclusive_sum(n_here);
    std::vector<std::vector<GlobalIndex>> answers(asked.size());
    for (std::size_t r = 0; r < asked.size(); ++r)
      for (const Key& key : asked[r])
        answers[r].push_back(first_here_ +
                             (std::ranges::lower_bound(at_home_, key) - at_home_.begin()));
    answers = comm.exchange(std::move(answers));
    std::vector<std::size_t> taken(answers.size(), 0);
    for (int home : home_of) numbers_.push_back(answers[at(home)][taken[at(home)]++]);
    return comm.sum(n_here);
  }

  /// Replaces local numbers by canonical ids.
  void resolve(RawBlock& block) const {
    for_each_mid_node(block, [&](const GlobalIndex*, const NodeParents&, GlobalIndex& node) {
      node = numbers_[at(node)];
    });
  }

  /// Appends the nodes that were numbered here, in the middle of their vertices; tags follow
  /// `last_tag`. Collective.
  void append(const Comm& comm, const RawMesh& mesh, std::int64_t last_tag,
              SlicedNodes& nodes) const {
    std::vector<GlobalIndex> vertices;
    for (const Key& key : at_home_) vertices.insert(vertices.end(), key.begin(), key.end());
    const std::vector<double> x = fetch<double>(comm, mesh.n_nodes, vertices, mesh.coordinates, 3);
    for (std::size_t i = 0; i < at_home_.size(); ++i) {
      std::array<double, 3> sum{};
      for (std::size_t k = 0; k < width; ++k)
        for (std::size_t d = 0; d < 3; ++d) sum[d] += x[(i * width + k) * 3 + d];
      for (double s : sum) nodes.coordinates.push_back(s / static_cast<double>(width));
      nodes.ids.push_back(first_here_ + static_cast<GlobalIndex>(i));
      nodes.tags.push_back(last_tag + 1 + nodes.ids.back() - mesh.n_nodes);
    }
  }

 private:
  template <class Work>
  void for_each_mid_node(RawBlock& block, const Work& work) const {
    const CellTraits& type = traits(block.type);
    for (int i = type.n_vertices; i < type.n_nodes; ++i) {
      const NodeParents parents = node_parents(block.type, i);
      if (parents.n != static_cast<int>(width)) continue;
      GlobalIndex* nodes = block.nodes.data();
      for (std::size_t c = 0; c < block.size(); ++c, nodes += type.n_nodes)
        work(nodes, parents, nodes[i]);
    }
  }

  KeyTable<Key> table_;
  std::vector<GlobalIndex> numbers_;  // of the table's keys
  std::vector<Key> at_home_;          // sorted
  GlobalIndex first_here_ = 0;
};

/// Copies the nodes of a block into rows of another type of the same shape, vertices first.
void change_type(RawBlock& block, CellType type) {
  const auto old_width = at(traits(block.type).n_nodes), width = at(traits(type).n_nodes);
  std::vector<GlobalIndex> nodes(block.size() * width, -1);
  for (std::size_t c = 0; c < block.size(); ++c)
    std::copy_n(block.nodes.begin() + static_cast<std::ptrdiff_t>(c * old_width),
                std::min(old_width, width), nodes.begin() + static_cast<std::ptrdiff_t>(c * width));
  block.nodes = std::move(nodes);
  block.type = type;
}

/// A set of nodes of the linear mesh holds none of the new ones: a face held by it would be held at
/// its corners only. Collective.
void warn_of_node_sets(const Comm& comm, RawMesh& mesh) {
  GlobalIndex n_points = 0;
  for (const RawBlock& block : mesh.entities)
    if (block.type == CellType::point1) n_points += narrow<GlobalIndex>(block.size());
  const auto n_groups =
      std::ranges::count_if(mesh.groups, [](const Group& group) { return group.dim == 0; });
  if (comm.sum(n_points) > n_groups)
    mesh.warnings.push_back(
        "order 2 was asked of a mesh with groups of several points: the new mid nodes belong to "
        "none "
        "of them, so conditions on such groups act at the corners of cells only; name facets for "
        "them");
}

RawMesh raise(const Comm& comm, RawMesh mesh) {
  warn_of_node_sets(comm, mesh);
  MidNodes<2> edges;
  MidNodes<4> faces;
  MidNodes<8> cells;
  for_each_block(mesh, [&](RawBlock& block) {
    if (traits(block.type).dim > 0) change_type(block, traits(block.type).full);
    edges.collect(block);
    faces.collect(block);
    cells.collect(block);
  });
  GlobalIndex n = mesh.n_nodes;
  n += edges.number(comm, mesh.n_nodes, n);
  n += faces.number(comm, mesh.n_nodes, n);
  n += cells.number(comm, mesh.n_nodes, n);
  for_each_block(mesh, [&](RawBlock& block) {
    edges.resolve(block);
    faces.resolve(block);
    cells.resolve(block);
  });

  const std::int64_t last_tag = comm.max(
      mesh.node_tags.empty() ? std::int64_t{0} : *std::ranges::max_element(mesh.node_tags));
  if (last_tag > std::numeric_limits<std::int64_t>::max() - (n - mesh.n_nodes))
    throw MeshError(
        "node " + std::to_string(last_tag) +
        ": order: 2 numbers its new nodes behind the highest id, which leaves no ids below 2^63: "
        "give the nodes of the mesh lower ids");
  SlicedNodes nodes{{}, mesh.coordinates, mesh.node_tags};
  const Share own = share_of(mesh.n_nodes, comm.rank(), comm.size());
  for (GlobalIndex i = own.first; i < own.last; ++i) nodes.ids.push_back(i);
  edges.append(comm, mesh, last_tag, nodes);
  faces.append(comm, mesh, last_tag, nodes);
  cells.append(comm, mesh, last_tag, nodes);
  replace_nodes(comm, nodes, n, mesh);
  return mesh;
}

/// How a node is used by the cells and entities of quadratic types.
enum : std::uint8_t { as_vertex = 1, as_mid_node = 2 };

/// The uses of each node of this rank's slice. Collective.
std::vector<std::uint8_t> find_uses(const Comm& comm, RawMesh& mesh) {
  KeyTable<GlobalIndex> table(mesh.node_tags.size());
  std::vector<std::uint8_t> uses;
  for_each_block(mesh, [&](const RawBlock& block) {
    const CellTraits& type = traits(block.type);
    if (type.dim == 0) return;
    for (std::size_t i = 0; i < block.nodes.size(); ++i) {
      const auto node = at(table.insert(block.nodes[i]));
      if (node == uses.size()) uses.push_back(0);
      const bool vertex = static_cast<int>(i % at(type.n_nodes)) < type.n_vertices;
      uses[node] |= vertex ? as_vertex : as_mid_node;
    }
  });
  struct Use {
    GlobalIndex node;
    GlobalIndex how;
  };
  std::vector<std::vector<Use>> to(at(comm.size()));
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const GlobalIndex node = table.keys()[i];
    to[at(share_owner(mesh.n_nodes, comm.size(), node))].push_back({node, uses[i]});
  }
  const Share own = share_of(mesh.n_nodes, comm.rank(), comm.size());
  std::vector<std::uint8_t> here(at(own.count()), 0);
  for (const auto& part : comm.exchange(std::move(to)))
    for (const Use& use : part)
      here[at(use.node - own.first)] |= static_cast<std::uint8_t>(use.how);
  return here;
}

/// Gives blocks their linear types and the nodes their new ids; points on dropped nodes go.
/// Returns how many went on this rank. Collective.
GlobalIndex renumber(const Comm& comm, const std::vector<GlobalIndex>& new_ids, RawMesh& mesh) {
  KeyTable<GlobalIndex> table(mesh.node_tags.size());
  for_each_block(mesh, [&](RawBlock& block) {
    change_type(block, traits(block.type).linear);
    for (GlobalIndex& node : block.nodes) node = table.insert(node);
  });
  const std::vector<GlobalIndex> ids =
      fetch<GlobalIndex>(comm, mesh.n_nodes, table.keys(), new_ids);
  GlobalIndex n_gone = 0;
  for_each_block(mesh, [&](RawBlock& block) {
    for (GlobalIndex& node : block.nodes) node = ids[at(node)];
    if (block.type != CellType::point1) return;
    std::size_t kept = 0;
    for (std::size_t e = 0; e < block.nodes.size(); ++e) {
      if (block.nodes[e] < 0) continue;
      block.nodes[kept] = block.nodes[e];
      block.tags[kept] = block.tags[e];
      block.group_set[kept++] = block.group_set[e];
    }
    n_gone += narrow<GlobalIndex>(block.nodes.size() - kept);
    block.nodes.resize(kept);
    block.tags.resize(kept);
    block.group_set.resize(kept);
  });
  return n_gone;
}

RawMesh lower(const Comm& comm, RawMesh mesh) {
  const std::vector<std::uint8_t> uses = find_uses(comm, mesh);
  const auto kept = [&](std::size_t i) { return uses[i] != as_mid_node; };
  SlicedNodes nodes;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (!kept(i)) continue;
    nodes.ids.push_back(0);
    nodes.tags.push_back(mesh.node_tags[i]);
    for (std::size_t d = 0; d < 3; ++d) nodes.coordinates.push_back(mesh.coordinates[3 * i + d]);
  }
  const auto n_here = narrow<GlobalIndex>(nodes.ids.size());
  const GlobalIndex n = comm.sum(n_here);
  GlobalIndex next = comm.exclusive_sum(n_here);
  std::vector<GlobalIndex> new_ids(uses.size(), -1);
  nodes.ids.clear();
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (kept(i)) nodes.ids.push_back(new_ids[i] = next++);

  const GlobalIndex n_gone = comm.sum(renumber(comm, new_ids, mesh));
  mesh.warnings.push_back("order 1 was asked of a quadratic mesh: " +
                          std::to_string(mesh.n_nodes - n) + " mid nodes were dropped");
  if (n_gone > 0)
    mesh.warnings.push_back(std::to_string(n_gone) +
                            " points of the mesh lay on dropped mid nodes and were left out");
  replace_nodes(comm, nodes, n, mesh);
  return mesh;
}

}  // namespace

RawMesh with_order(const Comm& comm, RawMesh raw, int order) {
  require(order == 1 || order == 2, ExitCode::mesh,
          "order " + std::to_string(order) + " is not offered; meshes have order 1 or 2");
  std::array<int, 2> found{};  // whether any rank has blocks of order 1, of order 2
  for_each_block(raw, [&](const RawBlock& block) {
    if (traits(block.type).dim > 0 && block.size() > 0) found[at(traits(block.type).order - 1)] = 1;
  });
  comm.max(std::span<int>(found));
  if (order == 1) return found[1] != 0 ? lower(comm, std::move(raw)) : raw;
  if (found[0] == 0) return raw;
  if (found[1] != 0)
    throw MeshError(
        "the mesh mixes linear and quadratic elements, so `order: 2` cannot add mid nodes; use "
        "`order: 1`, or mesh all of it in one order");
  return raise(comm, std::move(raw));
}

}  // namespace trestle::mesh
