// The fields that an analysis starts from.
#pragma once

#include <string>

#include "physics/analysis.hpp"

namespace trestle::physics {

/// Notes groups of the section `initial` that the mesh does not have, and nodes that a scalar field
/// is not given at. Collective.
void check_initial(const Problem& problem, const mesh::Mesh& mesh, GroupLookup& lookup);

/// The field `name` of the section `initial` at the nodes, ghosts included: later entries win, and
/// where none speaks it is `otherwise`. Throws NumericalError (81) where a value is not finite.
/// Collective.
solver::Vector<double> initial_field(const Analysis& analysis, const std::string& name,
                                     double otherwise);

}  // namespace trestle::physics
