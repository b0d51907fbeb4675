// The inner steps of `distribute`: named groups, their entities and the parents of facets.
#pragma once

#include "mesh/distribute_cells.hpp"

namespace trestle::mesh {

/// Fills mesh.groups from the entities of `raw`; nodes, cells and group_sets of `mesh` are there.
/// `home` is LocalCells::home, `local_of(canonical id)` the local node or -1. Throws MeshError
/// naming an entity that belongs to no cell. Collective.
void add_groups(const RawMesh& raw, const std::vector<int>& home,
                const std::function<Index(GlobalIndex)>& local_of, Mesh& mesh);

}  // namespace trestle::mesh
