// Refuses loads that a diagonal mass or capacity cannot follow.
#pragma once

#include "mesh/mesh.hpp"
#include "physics/group_lookup.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

/// A load that is spread over second-order cells or facets acts on their nodes in other proportions
/// than a diagonal mass is divided in (of `tet10` and `hex20`, a constant one pushes the corners
/// backwards), so that neighbouring nodes would part in every step; of `quad9` and `hex27` they are
/// the same. Notes each such load of an analysis in time. Collective.
void check_lumped_loads(const mesh::Mesh& mesh, const Problem& problem, GroupLookup& lookup);

}  // namespace trestle::physics
