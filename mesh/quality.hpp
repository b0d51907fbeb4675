// Measures and quality of cells, and what `trestle mesh info` prints.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "mesh/mesh.hpp"

namespace trestle::mesh {

/// Beyond this length [m] the unit of a mesh file is more likely the millimetre.
constexpr double doubtful_length = 10;

struct Box {
  std::array<double, 3> lower, upper;  // [m]
  double longest() const;
};

/// The box around all nodes. Collective.
Box bounding_box(const Mesh& mesh);

struct MeshSummary {
  int dim = 0;
  GlobalIndex n_nodes = 0;
  std::map<std::string, GlobalIndex> cells_by_type;
  Box box{};
  double measure = 0;              // area or volume [m^dim]
  double min_scaled_jacobian = 0;  // over cells and vertices: 1 is ideal, <= 0 inverted
  std::int64_t worst_cell_tag = 0;
  double max_aspect_ratio = 0;  // longest edge / shortest edge
  int n_components = 0;         // connected parts
  std::vector<std::string> warnings;
};

/// What a person wants to know of a mesh; warnings are those of the mesh and, unless its scale was
/// stated, one of a likely wrong unit. Collective.
MeshSummary summarise(const Mesh& mesh, bool states_scale = false);

/// The length, area or volume of every group over all ranks, 0 for points, by group  [m^dim].
/// Collective.
std::vector<double> compute_measures(const Mesh& mesh);

/// The scaled Jacobian of a cell whose nodes stand at `x`: the least over its vertices of the
/// determinant of the edges there over their lengths, 1 for the ideal cell (equal edges, right
/// angles where they belong) [Knupp 2003]. A pyramid's apex is left out.
double scaled_jacobian(CellType type, const std::array<double, 3>* x);

}  // namespace trestle::mesh
