// Measures and quality of cells, and what `trestle mesh info` prints.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mesh/mesh.hpp"

namespace trestle::mesh {

struct MeshSummary {
  int dim = 0;
  GlobalIndex n_nodes = 0;
  std::map<std::string, GlobalIndex> cells_by_type;
  std::array<double, 3> lower{}, upper{};  // bounding box [m]
  double measure = 0;                      // area or volume [m^dim]
  double min_scaled_jacobian = 0;          // over cells and vertices: 1 is ideal, <= 0 inverted
  std::int64_t worst_cell_tag = 0;
  double max_aspect_ratio = 0;  // longest edge / shortest edge
  int n_components = 0;         // connected parts
  std::vector<std::string> warnings;
};

/// Collective.
MeshSummary summarise(const Mesh& mesh);

}  // namespace trestle::mesh
