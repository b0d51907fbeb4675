// The reader of the meshes and sets of CalculiX and Abaqus decks (.inp), which validates before it
// allocates.
#pragma once

#include <string>

#include "core/comm.hpp"
#include "io/mesh/content.hpp"

namespace trestle::io {

/// Reads `path` and the files that it includes on rank 0, checks the mesh as read_gmsh does and
/// hands a slice to every rank. *ELSET become groups of cells, *SURFACE of facets, *NSET of points;
/// of all else in the deck a warning tells that it is not taken. Throws on all ranks: Error(66)
/// missing, Error(77) unreadable, MeshError(65) with file, line and entity. Collective.
mesh::RawMesh read_inp(const Comm& comm, const std::string& path,
                       const MeshFileOptions& options = {});

/// What stands in `path` and the files that it includes, before the mesh is checked. Throws as
/// read_inp. Local.
MeshContent read_inp_content(const std::string& path);

}  // namespace trestle::io
