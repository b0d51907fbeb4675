#include "physics/results/result_points.hpp"

#include <algorithm>
#include <bit>

#include "core/error.hpp"

namespace trestle::physics {
namespace {

constexpr int regions_per_word = 64;

/// Which regions meet at each local node: a bit each, [local node, word].
class RegionMasks {
 public:
  RegionMasks(const mesh::Mesh& mesh, const CellMaterials& materials, int n_regions)
      : n_words_((n_regions + regions_per_word - 1) / regions_per_word),
        words_(static_cast<std::size_t>(mesh.nodes->n_local()) * static_cast<std::size_t>(n_words_),
               0) {
    for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
      const auto n_nodes = static_cast<std::size_t>(mesh::traits(mesh.cells[b].type).n_nodes);
      for (std::size_t slot = 0; slot < mesh.cells[b].nodes.size(); ++slot) {
        const Index region = materials[b][slot / n_nodes];
        word(mesh.cells[b].nodes[slot], region / regions_per_word) |=
            std::uint64_t{1} << (region % regions_per_word);
      }
    }
    update_ghosts(*mesh.nodes, std::span<std::uint64_t>(words_), n_words_);
  }
  int count(Index node) {
    int n = 0;
    for (int w = 0; w < n_words_; ++w) n += std::popcount(word(node, w));
    return n;
  }
  /// Position of `region` among the regions of the node.
  int position(Index node, Index region) {
    int n = 0;
    for (int w = 0; w < region / regions_per_word; ++w) n += std::popcount(word(node, w));
    const std::uint64_t below = (std::uint64_t{1} << (region % regions_per_word)) - 1;
    return n + std::popcount(word(node, region / regions_per_word) & below);
  }
  bool has(Index node, Index region) {
    return (word(node, region / regions_per_word) >> (region % regions_per_word) & 1) != 0;
  }

 private:
  std::uint64_t& word(Index node, int w) {
    return words_[static_cast<std::size_t>(node) * static_cast<std::size_t>(n_words_) +
                  static_cast<std::size_t>(w)];
  }
  int n_words_;
  std::vector<std::uint64_t> words_;
};

/// Id of the first point of every local node: the points of all nodes with lower canonical ids come
/// before. Collective.
std::vector<GlobalIndex> first_points(const mesh::Mesh& mesh, RegionMasks& masks) {
  const Comm& comm = mesh.comm();
  GlobalIndex n_nodes = 0;  // ids run below this; loose nodes of the file leave gaps
  for (GlobalIndex id : mesh.nodes->ids()) n_nodes = std::max(n_nodes, id + 1);
  n_nodes = comm.max(n_nodes);
  struct Count {
    GlobalIndex node, n;
  };
  std::vector<std::vector<Count>> to(static_cast<std::size_t>(comm.size()));
  for (Index i = 0; i < mesh.nodes->n_owned(); ++i) {
    const GlobalIndex id = mesh.nodes->ids()[static_cast<std::size_t>(i)];
    to[static_cast<std::size_t>(share_owner(n_nodes, comm.size(), id))].push_back(
        {id, masks.count(i)});
  }
  const auto came = comm.exchange(std::move(to));
  const Share share = share_of(n_nodes, comm.rank(), comm.size());
  std::vector<GlobalIndex> first(static_cast<std::size_t>(share.count()), 0);
  for (const auto& part : came)
    for (const Count& count : part)
      first[static_cast<std::size_t>(count.node - share.first)] = count.n;
  GlobalIndex total = 0;
  for (GlobalIndex& n : first) total += std::exchange(n, total);
  const GlobalIndex before = comm.exclusive_sum(total);
  std::vector<std::vector<GlobalIndex>> answers(came.size());
  for (std::size_t r = 0; r < came.size(); ++r)
    for (const Count& count : came[r])
      answers[r].push_back(before + first[static_cast<std::size_t>(count.node - share.first)]);
  const auto answered = comm.exchange(std::move(answers));
  std::vector<std::size_t> at(answered.size(), 0);
  std::vector<GlobalIndex> of_node(static_cast<std::size_t>(mesh.nodes->n_local()));
  for (Index i = 0; i < mesh.nodes->n_owned(); ++i) {
    const auto home = static_cast<std::size_t>(
        share_owner(n_nodes, comm.size(), mesh.nodes->ids()[static_cast<std::size_t>(i)]));
    of_node[static_cast<std::size_t>(i)] = answered[home][at[home]++];
  }
  update_ghosts(*mesh.nodes, std::span<GlobalIndex>(of_node));
  return of_node;
}

/// The (node, region) pairs of ghost nodes in owned cells, sorted.
std::vector<std::pair<Index, Index>> ghost_points(const mesh::Mesh& mesh,
                                                  const CellMaterials& materials) {
  std::vector<std::pair<Index, Index>> found;
  const Index n_owned = mesh.nodes->n_owned();
  if (mesh.nodes->n_ghosts() == 0) return found;
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const mesh::CellBlock& block = mesh.cells[b];
    const auto n_nodes = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
    for (std::size_t slot = 0; slot < block.nodes.size(); ++slot)
      if (block.nodes[slot] >= n_owned && block.owned[slot / n_nodes] != 0)
        found.emplace_back(block.nodes[slot], materials[b][slot / n_nodes]);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

ResultPoints make_result_points(const mesh::Mesh& mesh, const CellMaterials& materials,
                                int n_regions) {
  RegionMasks masks(mesh, materials, n_regions);
  const std::vector<GlobalIndex> first_id = first_points(mesh, masks);
  ResultPoints points;
  points.first.assign(static_cast<std::size_t>(mesh.nodes->n_local()), -1);
  std::vector<GlobalIndex> owned, ghosts;
  std::vector<int> owners;
  const auto add = [&](Index node, Index region, std::vector<GlobalIndex>& ids) {
    Index& first = points.first[static_cast<std::size_t>(node)];
    if (first < 0) first = narrow<Index>(points.node.size());
    ids.push_back(first_id[static_cast<std::size_t>(node)] + masks.position(node, region));
    points.node.push_back(node);
    points.region.push_back(region);
  };
  const Index n_owned = mesh.nodes->n_owned();
  for (Index node = 0; node < n_owned; ++node)
    for (Index region = 0; region < n_regions; ++region)
      if (masks.has(node, region)) add(node, region, owned);
  // Ghost nodes stand by owner and canonical id, as the index map orders the points.
  for (const auto& [node, region] : ghost_points(mesh, materials)) {
    add(node, region, ghosts);
    owners.push_back(mesh.nodes->ghost_owners()[static_cast<std::size_t>(node - n_owned)]);
  }
  points.map = std::make_shared<IndexMap>(mesh.comm(), std::move(owned), ghosts, owners);
  return points;
}

PointSlots make_point_slots(const fem::Discretisation& discretisation,
                            const CellMaterials& materials, const ResultPoints& points) {
  const mesh::Mesh& mesh = discretisation.mesh();
  PointSlots slots;
  slots.n_slots.assign(static_cast<std::size_t>(points.map->n_owned()), 0.0);
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const std::vector<Index>& nodes = mesh.cells[b].nodes;
    const auto n_nodes = static_cast<std::size_t>(mesh::traits(mesh.cells[b].type).n_nodes);
    std::vector<Index> row_of(nodes.size(), -1);
    for (std::size_t slot = 0; slot < row_of.size(); ++slot) {
      if (nodes[slot] >= mesh.nodes->n_owned()) continue;
      row_of[slot] = points.point(nodes[slot], materials[b][slot / n_nodes]);
      slots.n_slots[static_cast<std::size_t>(row_of[slot])] += 1;
    }
    slots.rows.push_back(
        fem::make_incidence(discretisation.device(), points.map->n_owned(), row_of));
  }
  return slots;
}

}  // namespace trestle::physics
