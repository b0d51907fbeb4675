// The order of the checks of a whole mesh, and the small things they share.
#include "mesh/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "mesh/check_steps.hpp"
#include "mesh/slices.hpp"

namespace trestle::mesh {
namespace {

/// The cells' ids become 0 .. n_cells - 1 in the order they had.
void renumber_cells(RawMesh& mesh) {
  GlobalIndex end = 0;
  for (const RawBlock& block : mesh.cells)
    if (!block.ids.empty()) end = std::max(end, block.ids.back() + 1);
  std::vector<Index> number(static_cast<std::size_t>(end), 0);
  for (const RawBlock& block : mesh.cells)
    for (const GlobalIndex id : block.ids) number[static_cast<std::size_t>(id)] = 1;
  Index count = 0;
  for (Index& n : number) n = n == 0 ? -1 : count++;
  for (RawBlock& block : mesh.cells)
    for (GlobalIndex& id : block.ids) id = number[static_cast<std::size_t>(id)];
  mesh.n_cells = count;
}

/// Positions are 32-bit numbers on the way.
void refuse_huge(const RawMesh& mesh) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<Index>::max());
  std::size_t n_cells = 0;
  for (const RawBlock& block : mesh.cells) n_cells += block.size();
  if (mesh.node_tags.size() > most || n_cells > most)
    throw MeshError("meshes of more than 2^31 nodes or cells cannot be checked on one rank");
  if (mesh.n_nodes > 0 && !std::isfinite(diagonal(mesh)))
    throw MeshError("the mesh is larger than numbers can measure: are its coordinates right?");
}

void drop_empty_blocks(std::vector<RawBlock>& blocks) {
  std::erase_if(blocks, [](const RawBlock& block) { return block.size() == 0; });
}

}  // namespace

void check_and_mend(RawMesh& mesh, const CheckOptions& options) {
  refuse_huge(mesh);
  // A wider search would compare all nodes with all.
  require(options.merge_tolerance <= 0.01, ExitCode::mesh,
          fmt::format("a merge tolerance of {} of the size of the mesh is more than 0.01",
                      options.merge_tolerance));
  if (options.merge_tolerance > 0) merge_coincident_nodes(mesh, options.merge_tolerance);
  merge_duplicates(mesh);
  drop_orphans(mesh);
  check_plane(mesh);
  check_jacobians(mesh);
  check_facets(mesh);
  warn_of_parts(mesh);
  renumber_cells(mesh);
  drop_empty_blocks(mesh.entities);
}

std::string list_of(const std::vector<std::int64_t>& ids) {
  constexpr std::size_t shown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(ids.size(), shown); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", ids[i]);
  if (ids.size() > shown) text += fmt::format(" and {} more", ids.size() - shown);
  return text;
}

std::string text_of(const Point& x) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]);
}

std::string text_of_parts(GlobalIndex n_parts) {
  return fmt::format("{} connected component{}", n_parts, n_parts == 1 ? "" : "s");
}

double diagonal(const RawMesh& mesh) { return diagonal(bounds_of(mesh)); }

double diagonal(const Bounds& bounds) {
  Point extent{};
  for (std::size_t d = 0; d < 3; ++d) extent[d] = std::max(bounds.upper[d] - bounds.lower[d], 0.0);
  return length(extent);
}

std::uint64_t hash_of(const GlobalIndex* nodes, std::size_t n, std::uint64_t seed) {
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < n; ++a) {
    auto h = static_cast<std::uint64_t>(nodes[a]) + 0x9e3779b97f4a7c15U * (seed + 1);
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdU;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53U;
    sum += h ^ (h >> 33);
  }
  return sum;
}

GlobalIndex repeated_node(const GlobalIndex* nodes, std::size_t n) {
  for (std::size_t a = 1; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (nodes[a] == nodes[b]) return nodes[a];
  return -1;
}

void keep_entities(RawBlock& block, const std::vector<std::uint8_t>& keep) {
  const std::size_t n = width_of(block);
  std::size_t kept = 0;
  for (std::size_t e = 0; e < block.size(); ++e) {
    if (keep[e] == 0) continue;
    for (std::size_t a = 0; a < n; ++a) block.nodes[kept * n + a] = block.nodes[e * n + a];
    if (!block.ids.empty()) block.ids[kept] = block.ids[e];
    block.tags[kept] = block.tags[e];
    block.group_set[kept++] = block.group_set[e];
  }
  block.nodes.resize(kept * n);
  if (!block.ids.empty()) block.ids.resize(kept);
  block.tags.resize(kept);
  block.group_set.resize(kept);
}

void renumber_nodes(RawMesh& mesh, const std::vector<Index>& new_index) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < new_index.size(); ++i) {
    if (new_index[i] < 0) continue;
    for (std::size_t d = 0; d < 3; ++d)
      mesh.coordinates[3 * kept + d] = mesh.coordinates[3 * i + d];
    mesh.node_tags[kept++] = mesh.node_tags[i];
  }
  mesh.coordinates.resize(3 * kept);
  mesh.node_tags.resize(kept);
  mesh.n_nodes = static_cast<GlobalIndex>(kept);
  for (auto* blocks : {&mesh.cells, &mesh.entities})
    for (RawBlock& block : *blocks)
      for (GlobalIndex& node : block.nodes) node = new_index[static_cast<std::size_t>(node)];
}

}  // namespace trestle::mesh
