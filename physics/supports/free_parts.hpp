// Free parts: what of a model nothing holds, and how it can move.
#pragma once

#include <string>
#include <vector>

#include "physics/supports/support_survey.hpp"

namespace trestle::physics {

/// A sentence for each part that can move as a rigid body, or whose temperature nothing fixes:
/// which part, where, which motions are free, and what joins it to the rest. Parts that turn about
/// a node or an edge that they share are found as well. `held` are owned nodes that a convection
/// holds (heat). Collective; the same on all ranks, and on any number of them.
std::vector<std::string> free_parts(const mesh::Mesh& mesh, const fem::Constraints& constraints,
                                    const MotionKind& kind, const CellMaterials& materials,
                                    const std::vector<std::string>& material_names,
                                    const std::vector<Index>& held);

}  // namespace trestle::physics
