// Linear elasticity: div(sigma) + f = 0, sigma = C : (eps(u) - eps_thermal) [Hughes 2000,
// sec. 2.7].
#pragma once

#include "physics/models/description.hpp"

namespace trestle::physics {

const Description& elasticity();

}  // namespace trestle::physics
