// The fields that an analysis starts from.
#pragma once

#include <string>

#include "physics/analysis.hpp"

namespace trestle::physics {

/// The field `name` of the section `initial` at the nodes, ghosts included: later entries win, and
/// where none speaks it is `otherwise`. Throws NumericalError (81) where a value is not finite.
/// Collective.
solver::Vector<double> initial_field(const Analysis& analysis, const std::string& name,
                                     double otherwise);

}  // namespace trestle::physics
