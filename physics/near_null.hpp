// The near-null fields of a case, which multigrid keeps on every level.
#pragma once

#include <vector>

#include "mesh/mesh.hpp"
#include "physics/group_lookup.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

/// Notes more fields than multigrid takes; `n_own` are those that the physics knows.
void check_near_null(const NearNull& near_null, int n_own, GroupLookup& lookup);

/// Each field at the owned nodes, [node, n_components]. Throws NumericalError (81) on all ranks
/// where one is not finite. Collective.
std::vector<std::vector<double>> near_null_fields(const NearNull& near_null, const mesh::Mesh& mesh,
                                                  int n_components);

}  // namespace trestle::physics
