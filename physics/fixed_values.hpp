// Fixed values and rollers by condition.
#pragma once

#include <vector>

#include "fem/constraints.hpp"
#include "mesh/mesh.hpp"
#include "physics/group_lookup.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

struct Prescribed {
  std::vector<fem::FixedDirection> directions;
  std::vector<Index> blunt_edges;  // of rollers: see RollerDirections
};

/// The directions that the conditions of a problem fix at owned nodes, at a time [s]. Mistakes go
/// to `lookup`. Collective.
Prescribed prescribed(const mesh::Mesh& mesh, const Problem& problem, int n_components, double time,
                      GroupLookup& lookup);

}  // namespace trestle::physics
