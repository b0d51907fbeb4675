// Thermoelasticity: heat conduction, and the stress of solids that its temperature strains.
#pragma once

#include "physics/models/description.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

const Description& thermoelasticity();

/// What of a problem of thermoelasticity is heat conduction, and what is mechanics of solids: a
/// problem of either physics, on the same groups and with the same materials and load cases.
Problem heat_part(const Problem& problem);
Problem solid_part(const Problem& problem);

}  // namespace trestle::physics
