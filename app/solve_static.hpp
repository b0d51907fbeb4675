// Static analyses: a state for every load case and combination.
#pragma once

#include <vector>

#include "app/march/march.hpp"
#include "physics/state.hpp"

namespace trestle::app {

/// Solves every load case and combines them; of thermoelasticity the temperatures first, then the
/// displacements with them; from a checkpoint those that it has not. Throws NumericalError (80, 81)
/// where a solution is not found, and as solve_nonlinear. Collective.
std::vector<physics::State> solve_static(const MarchParts& parts);

}  // namespace trestle::app
