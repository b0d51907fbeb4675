#include "physics/result_points.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

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
  const auto came = comm.exchange(to);
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
  const auto answered = comm.exchange(answers);
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

}  // namespace

ResultPoints make_result_points(const fem::Discretisation& discretisation,
                                const CellMaterials& materials, int n_regions) {
  const mesh::Mesh& mesh = discretisation.mesh();
  const Index n_owned = mesh.nodes->n_owned();
  RegionMasks masks(mesh, materials, n_regions);
  const std::vector<GlobalIndex> first = first_points(mesh, masks);
  const auto id_of = [&](Index node, Index region) {
    return first[static_cast<std::size_t>(node)] + masks.position(node, region);
  };

  ResultPoints points;
  std::unordered_map<GlobalIndex, Index> local;
  std::vector<GlobalIndex> owned, ghosts;
  std::vector<int> owners;
  for (Index node = 0; node < n_owned; ++node)
    for (Index region = 0; region < n_regions; ++region) {
      if (!masks.has(node, region)) continue;
      local.emplace(id_of(node, region), narrow<Index>(owned.size()));
      owned.push_back(id_of(node, region));
      points.node.push_back(node);
      points.region.push_back(region);
    }
  std::unordered_map<GlobalIndex, std::pair<Index, Index>> ghost_of;
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const auto n_nodes = static_cast<std::size_t>(mesh::traits(mesh.cells[b].type).n_nodes);
    for (std::size_t slot = 0; slot < mesh.cells[b].nodes.size(); ++slot) {
      const Index node = mesh.cells[b].nodes[slot], region = materials[b][slot / n_nodes];
      if (node < n_owned || mesh.cells[b].owned[slot / n_nodes] == 0) continue;
      if (!ghost_of.emplace(id_of(node, region), std::pair(node, region)).second) continue;
      ghosts.push_back(id_of(node, region));
      owners.push_back(mesh.nodes->ghost_owners()[static_cast<std::size_t>(node - n_owned)]);
    }
  }
  points.map = std::make_shared<IndexMap>(mesh.comm(), std::move(owned), ghosts, owners);
  for (Index i = points.map->n_owned(); i < points.map->n_local(); ++i) {
    const GlobalIndex id = points.map->ids()[static_cast<std::size_t>(i)];
    local.emplace(id, i);
    points.node.push_back(ghost_of.at(id).first);
    points.region.push_back(ghost_of.at(id).second);
  }

  points.n_slots.assign(static_cast<std::size_t>(points.map->n_owned()), 0.0);
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const auto n_nodes = static_cast<std::size_t>(mesh::traits(mesh.cells[b].type).n_nodes);
    std::vector<Index> row_of(mesh.cells[b].nodes.size(), -1),
        cell_points(mesh.cells[b].nodes.size(), -1);
    for (std::size_t slot = 0; slot < row_of.size(); ++slot) {
      const Index node = mesh.cells[b].nodes[slot];
      const bool owned_cell = mesh.cells[b].owned[slot / n_nodes] != 0;
      if (node >= n_owned && !owned_cell) continue;
      const Index point = local.at(id_of(node, materials[b][slot / n_nodes]));
      if (owned_cell) cell_points[slot] = point;
      if (node >= n_owned) continue;
      row_of[slot] = point;
      points.n_slots[static_cast<std::size_t>(point)] += 1;
    }
    points.rows.push_back(
        fem::make_incidence(discretisation.device(), points.map->n_owned(), row_of));
    points.cell_points.push_back(std::move(cell_points));
  }
  return points;
}

}  // namespace trestle::physics
