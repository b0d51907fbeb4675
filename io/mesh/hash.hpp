// A fingerprint of a mesh, the same on any number of ranks.
#pragma once

#include <string>

#include "mesh/mesh.hpp"

namespace trestle::io {

/// Of nodes with their places, cells with their types, nodes and groups, and of the named groups:
/// 32 hexadecimal digits. Collective.
std::string mesh_hash(const mesh::Mesh& mesh);

}  // namespace trestle::io
