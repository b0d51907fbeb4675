// MeshContent: nodes, elements and groups as the parser of a mesh file gathers them, of any format.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mesh/raw_mesh.hpp"

namespace trestle::io {

/// How a mesh file is read, whatever its format.
struct MeshFileOptions {
  double scale = 1;            // metres per unit of the file
  double merge_tolerance = 0;  // > 0: nodes closer than this times the size of the mesh become one
};

struct MeshContent {
  std::vector<std::int64_t> node_tags;
  std::vector<double> coordinates;                        // [node, 3], unscaled
  std::array<mesh::RawBlock, mesh::n_cell_types> blocks;  // `ids` are positions in the file
  std::vector<mesh::Group> group_list;
  std::vector<std::vector<int>> group_sets{{}};  // as in RawMesh
  std::vector<std::string> warnings;

  mesh::RawBlock& block(const mesh::CellTraits& type) {
    return blocks[static_cast<std::size_t>(type.type)];
  }
};

/// The whole mesh on this rank: the elements of the highest dimension are its cells, the others
/// stay where they belong to a group; lengths are scaled, then everything is checked and mended.
/// Throws MeshError naming `path`.
mesh::RawMesh make_checked_mesh(const std::string& path, MeshContent content,
                                const MeshFileOptions& options);

}  // namespace trestle::io
