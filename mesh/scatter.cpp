// Cuts rank 0's mesh into slices and sends them, one array after the other to save memory.
#include "mesh/scatter.hpp"

#include <algorithm>

namespace trestle::mesh {
namespace {

/// Rank 0's strings on all ranks.
std::vector<std::string> broadcast(const Comm& comm, const std::vector<std::string>& texts) {
  std::vector<std::uint64_t> sizes;
  std::string joined;
  for (const std::string& text : texts) {
    sizes.push_back(text.size());
    joined += text;
  }
  sizes = comm.broadcast(sizes);
  joined = comm.broadcast(joined);
  std::vector<std::string> result;
  std::size_t at = 0;
  for (const std::uint64_t size : sizes) {
    result.push_back(joined.substr(at, size));
    at += size;
  }
  return result;
}

/// Items [bounds[r], bounds[r+1]) of `width` values each go to rank r; only rank 0 has some.
template <class T>
std::vector<T> send_slices(const Comm& comm, std::vector<T> values,
                           const std::vector<std::size_t>& bounds, std::size_t width) {
  std::vector<std::vector<T>> to(static_cast<std::size_t>(comm.size()));
  if (comm.is_root()) {
    if (comm.size() == 1) return values;
    const auto at = [&](std::size_t r) {
      return values.begin() + static_cast<std::ptrdiff_t>(bounds[r] * width);
    };
    for (std::size_t r = 0; r < to.size(); ++r) to[r].assign(at(r), at(r + 1));
    values = {};
  }
  return std::move(comm.exchange(std::move(to))[0]);
}

std::vector<std::size_t> share_bounds(const Comm& comm, GlobalIndex n) {
  std::vector<std::size_t> bounds{0};
  for (int r = 0; r < comm.size(); ++r)
    bounds.push_back(static_cast<std::size_t>(share_of(n, r, comm.size()).last));
  return bounds;
}

/// Where the cells of a block change from rank to rank when the canonical ids of all are shared.
std::vector<std::size_t> cell_bounds(const Comm& comm, const RawBlock& block, GlobalIndex n_cells) {
  std::vector<std::size_t> bounds;
  for (const std::size_t first : share_bounds(comm, n_cells))
    bounds.push_back(static_cast<std::size_t>(
        std::lower_bound(block.ids.begin(), block.ids.end(), static_cast<GlobalIndex>(first)) -
        block.ids.begin()));
  return bounds;
}

/// Cells when `n_cells` >= 0, else entities of lower dimension.
std::vector<RawBlock> send_blocks(const Comm& comm, std::vector<RawBlock> blocks,
                                  GlobalIndex n_cells) {
  std::vector<std::uint8_t> types;
  for (const RawBlock& block : blocks) types.push_back(static_cast<std::uint8_t>(block.type));
  types = comm.broadcast(types);
  blocks.resize(types.size());
  for (std::size_t b = 0; b < types.size(); ++b) {
    RawBlock& block = blocks[b];
    block.type = static_cast<CellType>(types[b]);
    const auto bounds = n_cells >= 0 ? cell_bounds(comm, block, n_cells)
                                     : share_bounds(comm, static_cast<GlobalIndex>(block.size()));
    const auto n_nodes = static_cast<std::size_t>(traits(block.type).n_nodes);
    block.nodes = send_slices(comm, std::move(block.nodes), bounds, n_nodes);
    if (n_cells >= 0) block.ids = send_slices(comm, std::move(block.ids), bounds, 1);
    block.tags = send_slices(comm, std::move(block.tags), bounds, 1);
    block.group_set = send_slices(comm, std::move(block.group_set), bounds, 1);
  }
  return blocks;
}

}  // namespace

void broadcast_groups(const Comm& comm, RawMesh& mesh) {
  std::vector<std::string> names;
  std::vector<int> keys, sizes, members;
  for (const Group& group : mesh.groups) {
    names.push_back(group.name);
    keys.insert(keys.end(), {group.dim, group.tag});
  }
  for (const std::vector<int>& set : mesh.group_sets) {
    sizes.push_back(static_cast<int>(set.size()));
    members.insert(members.end(), set.begin(), set.end());
  }
  names = broadcast(comm, names);
  keys = comm.broadcast(keys);
  sizes = comm.broadcast(sizes);
  members = comm.broadcast(members);
  mesh.groups.clear();
  for (std::size_t g = 0; g < names.size(); ++g)
    mesh.groups.push_back({names[g], keys[2 * g], keys[2 * g + 1]});
  mesh.group_sets.clear();
  auto at = members.begin();
  for (const int size : sizes) {
    mesh.group_sets.emplace_back(at, at + size);
    at += size;
  }
}

RawMesh scatter(const Comm& comm, RawMesh whole) {
  const auto sizes =
      comm.broadcast(std::vector<GlobalIndex>{whole.dim, whole.n_nodes, whole.n_cells});
  whole.dim = static_cast<int>(sizes[0]);
  whole.n_nodes = sizes[1];
  whole.n_cells = sizes[2];
  broadcast_groups(comm, whole);
  whole.warnings = broadcast(comm, whole.warnings);
  const auto bounds = share_bounds(comm, whole.n_nodes);
  whole.coordinates = send_slices(comm, std::move(whole.coordinates), bounds, 3);
  whole.node_tags = send_slices(comm, std::move(whole.node_tags), bounds, 1);
  whole.cells = send_blocks(comm, std::move(whole.cells), whole.n_cells);
  whole.entities = send_blocks(comm, std::move(whole.entities), -1);
  return whole;
}

}  // namespace trestle::mesh
