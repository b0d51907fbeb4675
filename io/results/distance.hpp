// How far a place is from a mesh.
#pragma once

#include <array>

#include "mesh/mesh.hpp"

namespace trestle::io {

/// Distance of x [m] to the cells of this rank, as if they had straight edges: the least over their
/// facets. For places outside; in a two-dimensional mesh z does not count. Infinite without cells.
double distance_to_mesh(const mesh::Mesh& mesh, const std::array<double, 3>& x);

}  // namespace trestle::io
