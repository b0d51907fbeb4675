// Reads a mesh file of any format.
#pragma once

#include <string>

#include "core/comm.hpp"
#include "io/mesh/content.hpp"

namespace trestle::io {

/// Reads `path` as the deck (.inp), the own HDF5 file or the Gmsh file that its first bytes say it
/// is; a file called .inp is a deck. Throws on all ranks as the readers do. Collective.
mesh::RawMesh read_mesh_file(const Comm& comm, const std::string& path,
                             const MeshFileOptions& options = {});

}  // namespace trestle::io
