// Reads a binary .msh file of version 4.1 on all ranks, each a slice of its nodes and elements.
#pragma once

#include <optional>
#include <string>

#include "core/comm.hpp"
#include "mesh/raw_mesh.hpp"

namespace trestle::io {

/// The mesh in `path`, checked; nothing where it has another form or where there is anything to
/// mend, to refuse or to warn of but several parts: then rank 0 has to read it whole, which tells
/// what. Coordinates are multiplied by `scale`. Throws Error(77) outside TRESTLE_ROOTS. The same on
/// all ranks. Collective.
std::optional<mesh::RawMesh> read_gmsh_slices(const Comm& comm, const std::string& path,
                                              double scale);

}  // namespace trestle::io
