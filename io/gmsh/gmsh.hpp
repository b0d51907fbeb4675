// The reader of Gmsh .msh files, versions 2.2 and 4.1, ASCII and binary, which validates before it
// allocates.
#pragma once

#include <string>

#include "core/comm.hpp"
#include "io/mesh/content.hpp"

namespace trestle::io {

/// Reads `path` on rank 0, checks it (node references, degenerate and inverted cells, duplicates,
/// orphan nodes ...) and hands a slice to every rank. Throws on all ranks: Error(66) missing,
/// Error(77) unreadable, MeshError(65) with file, line or byte offset and entity for everything
/// wrong in it. Collective.
mesh::RawMesh read_gmsh(const Comm& comm, const std::string& path,
                        const MeshFileOptions& options = {});

/// What stands in `path`, before the mesh is checked. Throws as read_gmsh. Local.
MeshContent read_gmsh_content(const std::string& path);

}  // namespace trestle::io
