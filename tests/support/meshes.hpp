// Generated meshes for tests: boxes of every cell type, moved by a map.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mesh/generate.hpp"
#include "mesh/mesh.hpp"

namespace trestle::test {

/// A unit box of `cell` with n cells along each axis, whose nodes `move` takes from their place
/// [3] to another.
std::shared_ptr<const mesh::Mesh> moved_box(
    const Comm& comm, mesh::CellType cell, Index n, const std::function<void(double*)>& move,
    mesh::Partitioner partitioner = mesh::Partitioner::automatic);

/// The same, its inside moved by a smooth map of size `distortion` that leaves the boundary where
/// it is.
std::shared_ptr<const mesh::Mesh> box_mesh(
    const Comm& comm, mesh::CellType cell, Index n, double distortion,
    mesh::Partitioner partitioner = mesh::Partitioner::automatic);

/// Cells of every type that fill a box, in 2D and 3D.
std::vector<mesh::CellType> all_cells();
std::string cell_name(mesh::CellType type);

}  // namespace trestle::test
