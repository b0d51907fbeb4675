// What the tests of checks of meshes share: small meshes by hand, and the checks made on the whole
// and on slices.
#pragma once

#include <string>
#include <vector>

#include "mesh/raw_mesh.hpp"
#include "mesh/reference_map.hpp"

namespace trestle::mesh::test {

/// A whole mesh with nodes of tags 1, 2 ...
RawMesh mesh_of(int dim, const std::vector<mesh::Point>& nodes);
/// Adds cells with the tags 1, 2 ... behind those that are there.
void add_cells(RawMesh& mesh, CellType type, const std::vector<std::vector<GlobalIndex>>& cells);
/// 0, 1 ... n - 1.
std::vector<GlobalIndex> first(int n);
std::vector<mesh::Point> reference_nodes(CellType type);
/// A mesh of one cell whose nodes are those of the reference cell.
RawMesh reference_cell(CellType type);

/// check_and_mend; its slices are clean where that finds nothing but several parts. Collective.
void check(RawMesh& mesh);
/// What `check` throws, "" for nothing. Collective.
std::string refusal(RawMesh mesh);
bool has(const std::string& text, const std::string& part);
bool warns(const RawMesh& mesh, const std::string& part);

}  // namespace trestle::mesh::test
