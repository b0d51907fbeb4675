// Warnings of cells that lock: that cannot deform at constant volume.
#pragma once

#include <string>
#include <vector>

#include "mesh/mesh.hpp"
#include "physics/analysis.hpp"

namespace trestle::physics {

/// A line for each material of a solid whose cells lock, with what to do. Collective.
std::vector<std::string> locking_warnings(const mesh::Mesh& mesh, const Problem& problem,
                                          Model model);

}  // namespace trestle::physics
