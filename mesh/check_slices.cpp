// The order of the checks of a mesh in slices, and those that need no messages but a number.
#include "mesh/check_slices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "mesh/check_slices_steps.hpp"
#include "mesh/node_numbers.hpp"
#include "mesh/slices.hpp"

namespace trestle::mesh {
namespace {

/// Nodes are 32-bit numbers where facets are compared, and so are places of facets on a rank; the
/// factor leaves room for uneven shares of the six of a cell.
bool is_huge(const Comm& comm, const RawMesh& mesh) {
  constexpr GlobalIndex most = std::numeric_limits<Index>::max();
  return mesh.n_nodes > most || mesh.n_cells / comm.size() > most / 12;
}

/// Whether one of the keys that came to one rank, of [first, last), repeats.
bool repeats(std::vector<std::vector<std::uint64_t>> parts, std::uint64_t first,
             std::uint64_t last) {
  std::size_t n = 0;
  for (const auto& part : parts) n += part.size();
  if ((last - first) / 64 <= n) {
    std::vector<bool> there(last - first, false);
    for (const auto& part : parts)
      for (const std::uint64_t key : part) {
        if (there[key - first]) return true;
        there[key - first] = true;
      }
    return false;
  }
  std::vector<std::uint64_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

/// Whether one of `keys`, below 2^63, stands in several places over all ranks: each goes to the
/// rank with its share of their range. Collective.
bool has_repeated(const Comm& comm, const std::vector<std::uint64_t>& keys) {
  std::uint64_t low = std::numeric_limits<std::int64_t>::max(), high = 0;
  for (const std::uint64_t key : keys) {
    low = std::min(low, key);
    high = std::max(high, key);
  }
  low = comm.min(low);
  high = comm.max(high);
  if (low > high) return false;
  const std::uint64_t width = (high - low) / static_cast<std::uint64_t>(comm.size()) + 1;
  std::vector<std::vector<std::uint64_t>> to(static_cast<std::size_t>(comm.size()));
  for (const std::uint64_t key : keys) to[(key - low) / width].push_back(key);
  const std::uint64_t first = low + width * static_cast<std::uint64_t>(comm.rank());
  return comm.any(repeats(comm.exchange(std::move(to)), first, first + width));
}

/// An id names one element in messages and results. Collective.
bool has_shared_ids(const Comm& comm, const RawMesh& mesh) {
  std::vector<std::uint64_t> tags;
  for (const auto* blocks : {&mesh.cells, &mesh.entities})
    for (const RawBlock& block : *blocks)
      tags.insert(tags.end(), block.tags.begin(), block.tags.end());
  return has_repeated(comm, tags);
}

/// Elements of groups with the same nodes; cells with the same nodes have facets in common, too.
/// Collective.
bool has_twin_entities(const Comm& comm, const RawMesh& mesh) {
  std::vector<std::uint64_t> hashes;
  for (const RawBlock& block : mesh.entities)
    for (std::size_t e = 0; e < block.size(); ++e)
      hashes.push_back(hash_of(block.nodes.data() + e * width_of(block), width_of(block),
                               static_cast<std::uint64_t>(block.type)) >>
                       1);
  return has_repeated(comm, hashes);
}

/// Whether a mesh of dimension 2 leaves the x-y plane.
bool is_bent(const RawMesh& mesh, const Bounds& bounds) {
  RawMesh corners;  // the plane is judged by the extent alone
  corners.dim = mesh.dim;
  corners.n_nodes = mesh.n_nodes;
  corners.coordinates.assign(bounds.lower.begin(), bounds.lower.end());
  corners.coordinates.insert(corners.coordinates.end(), bounds.upper.begin(), bounds.upper.end());
  try {
    check_plane(corners);
  } catch (const MeshError&) {
    return true;
  }
  return false;
}

/// Whether each cell of this rank has a positive Jacobian and no node twice.
bool has_bad_cells(RawMesh& cells) {
  try {
    check_jacobians(cells);
  } catch (const MeshError&) {
    return true;
  }
  return !cells.warnings.empty();
}

}  // namespace

OwnCells make_own_cells(const Comm& comm, const RawMesh& mesh) {
  GlobalIndex first = std::numeric_limits<GlobalIndex>::max(), last = 0;
  std::size_t n_entries = 0;
  for (const RawBlock& block : mesh.cells)
    for (const GlobalIndex node : block.nodes) {
      first = std::min(first, node);
      last = std::max(last, node + 1);
      ++n_entries;
    }
  const bool dense = last > first && static_cast<std::size_t>(last - first) <= n_entries;
  NodeNumbers numbers(dense ? first : 0, dense ? last : 0);
  OwnCells own;
  own.mesh.dim = mesh.dim;
  for (const RawBlock& block : mesh.cells) {
    own.mesh.cells.push_back({block.type, block.nodes, {}, block.tags, block.group_set});
    for (GlobalIndex& node : own.mesh.cells.back().nodes) node = numbers.insert(node);
  }
  own.ids = numbers.ids();
  own.mesh.n_nodes = static_cast<GlobalIndex>(own.ids.size());
  own.mesh.coordinates = fetch<double>(comm, mesh.n_nodes, own.ids, mesh.coordinates, 3);
  own.mesh.node_tags.resize(own.ids.size());
  return own;
}

bool is_clean(const Comm& comm, RawMesh& mesh) {
  if (is_huge(comm, mesh)) return false;
  const Bounds bounds = bounds_of(comm, mesh);
  if (!std::isfinite(diagonal(bounds)) || is_bent(mesh, bounds)) return false;
  if (has_shared_ids(comm, mesh) || has_twin_entities(comm, mesh)) return false;
  OwnCells cells = make_own_cells(comm, mesh);
  const NodeUse use = find_node_use(comm, mesh.n_nodes, cells);
  if (!use.all_used || use.n_parts < 0) return false;
  if (comm.any(has_bad_cells(cells.mesh))) return false;
  std::vector<CellFacet> boundary;
  if (!facets_match(comm, mesh, boundary)) return false;
  if (has_overlaps(comm, cells, bounds, boundary)) return false;
  if (has_hanging_nodes(comm, cells, boundary) || has_coincident_nodes(comm, mesh, bounds))
    return false;
  if (use.n_parts > 1) mesh.warnings.push_back(text_of_parts(use.n_parts) + ".");
  return true;
}

}  // namespace trestle::mesh
