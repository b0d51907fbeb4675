// `distribute`: from slices of a RawMesh to a partitioned Mesh.
#include <algorithm>

#include "mesh/distribute_cells.hpp"
#include "mesh/distribute_groups.hpp"
#include "mesh/partition.hpp"
#include "mesh/slices.hpp"

namespace trestle::mesh {
namespace {

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

std::vector<int> find_parts(const Comm& comm, const RawMesh& raw,
                            const std::vector<std::uint64_t>& keys, Partitioner partitioner) {
  if (comm.size() == 1) return std::vector<int>(keys.size(), 0);
  CellsToPartition cells{keys, {}};
  for (const RawBlock& block : raw.cells)
    cells.work.insert(cells.work.end(), block.size(), traits(block.type).n_nodes);
  return partition(comm, raw, cells, partitioner);
}

/// The local number of each of `local.nodes`: owned ones by first touch in the order of the cells,
/// then ghosts as the index map has them, which it makes. Collective.
std::vector<Index> number_nodes(const Comm& comm, const LocalCells& local,
                                const std::vector<std::vector<Index>>& orders, Mesh& mesh) {
  std::vector<Index> numbers(local.nodes.size(), -1);
  std::vector<GlobalIndex> owned, ghosts;
  std::vector<int> ghost_owners;
  for (std::size_t s = 0; s < orders.size(); ++s) {
    const CellSet& cells = local.sets[s];
    const std::size_t width = cells.width();
    for (Index c : orders[s])
      for (std::size_t i = 0; i < width; ++i) {
        const std::size_t node = at(cells.touched[at(c) * width + i]);
        if (local.owners[node] != comm.rank() || numbers[node] >= 0) continue;
        numbers[node] = static_cast<Index>(owned.size());
        owned.push_back(local.nodes.keys()[node]);
      }
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (local.owners[i] != comm.rank()) {
      ghosts.push_back(local.nodes.keys()[i]);
      ghost_owners.push_back(local.owners[i]);
    }
  mesh.nodes = std::make_shared<IndexMap>(comm, std::move(owned), ghosts, ghost_owners);
  for (Index i = mesh.nodes->n_owned(); i < mesh.nodes->n_local(); ++i)
    numbers[at(local.nodes.find(mesh.nodes->ids()[at(i)]))] = i;
  return numbers;
}

CellBlock make_block(const CellSet& cells, const std::vector<Index>& order,
                     const std::vector<Index>& numbers) {
  CellBlock block{cells.type, {}, {}, {}, {}, {}};
  const std::size_t width = cells.width(), n = order.size();
  block.nodes.resize(n * width);
  block.ids.resize(n);
  block.tags.resize(n);
  block.group_set.resize(n);
  block.owned.resize(n);
  Index* nodes = block.nodes.data();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = at(order[i]);
    for (std::size_t k = 0; k < width; ++k) *nodes++ = numbers[at(cells.touched[c * width + k])];
    block.ids[i] = cells.ids[c];
    block.tags[i] = cells.tags[c];
    block.group_set[i] = cells.group_sets[c];
    block.owned[i] = c < cells.n_owned;
  }
  return block;
}

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
  std::vector<std::vector<Index>> orders;
  for (const CellSet& cells : local.sets) orders.push_back(curve_order(cells));
  const std::vector<Index> numbers = number_nodes(comm, local, orders, mesh);
  for (std::size_t s = 0; s < orders.size(); ++s)
    mesh.cells.push_back(make_block(local.sets[s], orders[s], numbers));
  local.sets.clear();

  mesh.coordinates = fetch<double>(comm, raw.n_nodes, mesh.nodes->ids(), raw.coordinates, 3);
  mesh.node_tags = fetch<std::int64_t>(comm, raw.n_nodes, mesh.nodes->ids(), raw.node_tags);
  const auto local_of = [&](GlobalIndex id) {
    const Index node = local.nodes.find(id);
    return node < 0 ? -1 : numbers[at(node)];
  };
  add_groups(raw, local.home, local_of, mesh);
  warn_of_loose_nodes(comm, local.home, mesh);
  return mesh;
}

}  // namespace trestle::mesh
