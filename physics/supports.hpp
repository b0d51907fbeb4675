// Fixed values by condition, and whether they hold the model.
#pragma once

#include <string>
#include <vector>

#include "fem/constraints.hpp"
#include "mesh/mesh.hpp"
#include "physics/group_lookup.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

/// The directions that the conditions of a problem fix at owned nodes, at a time [s]. Mistakes go to
/// `lookup`. Collective.
std::vector<fem::FixedDirection> fixed_directions(const mesh::Mesh& mesh, const Problem& problem,
                                                  int n_components, double time,
                                                  GroupLookup& lookup);

/// Label of the connected part of each local node: the lowest canonical node id in it. Collective.
std::vector<GlobalIndex> connected_parts(const mesh::Mesh& mesh);

/// A way in which a connected part of the model can still move, or a part whose temperature nothing
/// fixes.
struct FreePart {
  GlobalIndex label = 0;
  GlobalIndex n_nodes = 0;
  fem::Vec3 centre{};   // [m]
  std::string motions;  // "1 translation (along x) and 3 rotations (about ...)"
};

/// The parts that nothing holds. `held` are owned nodes that a convection holds (heat). Collective;
/// the same on all ranks.
std::vector<FreePart> free_parts(const mesh::Mesh& mesh, const fem::Constraints& constraints,
                                 Model model, const std::vector<Index>& held);

}  // namespace trestle::physics
