// `distribute`: from slices of a RawMesh to a partitioned Mesh.
#include <algorithm>
#include <limits>

#include "gpu/fetch.hpp"
#include "mesh/distribute_cells.hpp"
#include "mesh/distribute_groups.hpp"
#include "mesh/partition.hpp"
#include "mesh/slices.hpp"

namespace trestle::mesh {
namespace {

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

/// The part of each cell; none on one rank.
std::vector<int> find_parts(const Comm& comm, const RawMesh& raw,
                            const std::vector<std::uint64_t>& keys, Partitioner partitioner) {
  if (comm.size() == 1) return {};
  CellsToPartition cells{keys, {}};
  for (const RawBlock& block : raw.cells)
    cells.work.insert(cells.work.end(), block.size(), traits(block.type).n_nodes);
  return partition(comm, raw, cells, partitioner);
}

/// Puts cells in the order of the curve and numbers nodes: owned ones by first touch in this order,
/// then ghosts as the index map has them.
class NodeOrder {
 public:
  NodeOrder(const Comm& comm, const LocalCells& local)
      : comm_(comm), local_(local), numbers_(local.nodes.size(), unseen) {
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (local.owners[i] != comm.rank()) numbers_[i] = ghost_mark(static_cast<Index>(i));
    owned_.reserve(numbers_.size());
  }

  /// The cells of a set by the curve, which goes. Ghosts among their nodes have marks.
  CellBlock take(CellSet& set) {
    CellSet cells = std::move(set);
    const std::vector<Index> order = curve_order(cells);
    cells.keys = {};
    const std::size_t width = cells.width(), n = order.size();
    CellBlock block{cells.type, {}, {}, {}, {}, {}};
    block.nodes.resize(n * width);
    block.ids.resize(n);
    block.tags.resize(n);
    block.group_set.resize(n);
    block.owned.resize(n);
    Index* nodes = block.nodes.data();
    for (std::size_t i = 0; i < n; ++i) {
      fetch(cells, order, i);
      const std::size_t c = at(order[i]);
      for (std::size_t k = 0; k < width; ++k) *nodes++ = number(cells.nodes[c * width + k]);
      block.ids[i] = cells.ids[c];
      block.tags[i] = cells.tags[c];
      block.group_set[i] = cells.group_sets[c];
      block.owned[i] = c < cells.n_owned;
    }
    return block;
  }

  /// The index map; after it the blocks have local numbers only. Collective.
  std::shared_ptr<const IndexMap> finish(std::vector<CellBlock>& blocks) {
    std::vector<GlobalIndex> ghosts;
    std::vector<int> ghost_owners;
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (numbers_[i] < 0) {
        ghosts.push_back(local_.nodes.ids()[i]);
        ghost_owners.push_back(local_.owners[i]);
      }
    auto map = std::make_shared<IndexMap>(comm_, std::move(owned_), ghosts, ghost_owners);
    if (ghosts.empty()) return map;
    for (Index i = map->n_owned(); i < map->n_local(); ++i)
      numbers_[at(local_.nodes.find(map->ids()[at(i)]))] = i;
    for (CellBlock& block : blocks)
      for (Index& node : block.nodes)
        if (node < 0) node = numbers_[at(ghost_mark(node))];
    return map;
  }

  /// The local number of each of the nodes of the local cells.
  const std::vector<Index>& numbers() const { return numbers_; }

 private:
  /// Asks for what `take` needs of cells that come after position i: they lie anywhere.
  void fetch(const CellSet& cells, const std::vector<Index>& order, std::size_t i) const {
    constexpr std::size_t near = 8, far = 16;
    const std::size_t width = cells.width();
    if (i + far < order.size()) {
      const std::size_t c = at(order[i + far]);
      TRESTLE_FETCH(&cells.nodes[c * width]);
      TRESTLE_FETCH(&cells.ids[c]);
      TRESTLE_FETCH(&cells.tags[c]);
      TRESTLE_FETCH(&cells.group_sets[c]);
    }
    if (i + near < order.size())
      for (std::size_t k = 0; k < width; ++k)
        TRESTLE_FETCH(&numbers_[at(cells.nodes[at(order[i + near]) * width + k])]);
  }

  static constexpr Index unseen = std::numeric_limits<Index>::max();
  /// The mark of ghost `i`, which is negative, and back.
  static Index ghost_mark(Index i) { return ~i; }

  Index number(Index node) {
    Index& known = numbers_[at(node)];
    if (known == unseen) {
      known = static_cast<Index>(owned_.size());
      owned_.push_back(local_.nodes.ids()[at(node)]);
    }
    return known;
  }

  const Comm& comm_;
  const LocalCells& local_;
  std::vector<Index> numbers_;
  std::vector<GlobalIndex> owned_;
};

/// Warns of nodes that no cell touches: they are in no rank's part. Collective.
void warn_of_loose_nodes(const Comm& comm, const std::vector<int>& home, Mesh& mesh) {
  const GlobalIndex loose = comm.sum(GlobalIndex{std::ranges::count(home, -1)});
  if (loose > 0)
    mesh.warnings.push_back(std::to_string(loose) +
                            " nodes of the mesh belong to no cell and are left out");
}

}  // namespace

Mesh distribute(const Comm& comm, RawMesh raw, Partitioner partitioner) {
  std::vector<std::uint64_t> keys = compute_cell_keys(comm, raw);
  const std::vector<int> parts = find_parts(comm, raw, keys, partitioner);
  LocalCells local = move_cells(comm, raw, std::move(keys), parts);

  Mesh mesh{raw.dim, nullptr, {}, {}, {}, {}, raw.group_sets, raw.n_cells, raw.warnings};
  NodeOrder order(comm, local);
  for (CellSet& cells : local.sets) mesh.cells.push_back(order.take(cells));
  mesh.nodes = order.finish(mesh.cells);

  mesh.coordinates = fetch<double>(comm, raw.n_nodes, mesh.nodes->ids(), raw.coordinates, 3);
  mesh.node_tags = fetch<std::int64_t>(comm, raw.n_nodes, mesh.nodes->ids(), raw.node_tags);
  const auto local_of = [&](GlobalIndex id) {
    const Index node = local.nodes.find(id);
    return node < 0 ? -1 : order.numbers()[at(node)];
  };
  add_groups(raw, local.home, local_of, mesh);
  warn_of_loose_nodes(comm, local.home, mesh);
  return mesh;
}

}  // namespace trestle::mesh
