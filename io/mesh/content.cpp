// From the content of a mesh file to a checked mesh.
#include "io/mesh/content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "mesh/check.hpp"

namespace trestle::io {
namespace {

/// The highest dimension of the elements: theirs are the cells.
int dimension_of(const std::string& path, const MeshContent& content) {
  int dim = -1;
  std::vector<std::string> counts;
  for (int t = 0; t < mesh::n_cell_types; ++t) {
    const std::size_t n = content.blocks[static_cast<std::size_t>(t)].size();
    if (n == 0) continue;
    const mesh::CellTraits& traits = mesh::traits(static_cast<mesh::CellType>(t));
    dim = std::max(dim, traits.dim);
    counts.push_back(fmt::format("{} {}", n, traits.name));
  }
  if (dim < 0) throw MeshError(path + ": the mesh has no elements");
  if (dim < 2)
    throw MeshError(
        fmt::format("{}: the mesh has only elements of dimension {} ({}), cells of dimension "
                    "2 or 3 are needed: mesh the surfaces or volumes (gmsh -2 or -3), and where "
                    "the geometry has physical groups, put the surfaces or volumes in one, because "
                    "Gmsh saves nothing else",
                    path, dim == 1 ? "1 or less" : "0", fmt::join(counts, ", ")));
  return dim;
}

/// Entities that belong to no group are not needed.
void drop_ungrouped(mesh::RawBlock& block) {
  const auto n_nodes = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
  std::size_t kept = 0;
  for (std::size_t e = 0; e < block.size(); ++e) {
    if (block.group_set[e] == 0) continue;
    for (std::size_t a = 0; a < n_nodes; ++a)
      block.nodes[kept * n_nodes + a] = block.nodes[e * n_nodes + a];
    block.tags[kept] = block.tags[e];
    block.group_set[kept++] = block.group_set[e];
  }
  block.nodes.resize(kept * n_nodes);
  block.tags.resize(kept);
  block.group_set.resize(kept);
}

mesh::RawMesh assemble(const std::string& path, MeshContent content, double scale) {
  mesh::RawMesh mesh;
  mesh.dim = dimension_of(path, content);
  mesh.groups = std::move(content.group_list);
  mesh.group_sets = std::move(content.group_sets);
  mesh.warnings = std::move(content.warnings);
  for (int t = 0; t < mesh::n_cell_types; ++t) {
    mesh::RawBlock& block = content.blocks[static_cast<std::size_t>(t)];
    block.type = static_cast<mesh::CellType>(t);
    const bool is_cell = mesh::traits(block.type).dim == mesh.dim;
    if (!is_cell) {
      block.ids.clear();
      drop_ungrouped(block);
    }
    if (block.size() > 0) (is_cell ? mesh.cells : mesh.entities).push_back(std::move(block));
  }
  mesh.node_tags = std::move(content.node_tags);
  mesh.coordinates = std::move(content.coordinates);
  mesh.n_nodes = static_cast<GlobalIndex>(mesh.node_tags.size());
  if (scale == 1) return mesh;
  for (std::size_t i = 0; i < mesh.coordinates.size(); ++i) {
    double& x = mesh.coordinates[i];
    x *= scale;
    if (!std::isfinite(x))
      throw MeshError(fmt::format("{}: node {}: a coordinate times the scale {} is not finite",
                                  path, mesh.node_tags[i / 3], scale));
  }
  return mesh;
}

}  // namespace

mesh::RawMesh make_checked_mesh(const std::string& path, MeshContent content,
                                const MeshFileOptions& options) {
  mesh::RawMesh mesh = assemble(path, std::move(content), options.scale);
  try {
    mesh::check_and_mend(mesh, {.merge_tolerance = options.merge_tolerance});
  } catch (const MeshError& e) {
    throw MeshError(path + ": " + e.what());
  }
  return mesh;
}

}  // namespace trestle::io
