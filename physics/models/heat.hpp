// Steady heat conduction: -div(k grad T) = source, q = -k grad T [Hughes 2000, sec. 2.3].
#pragma once

#include "physics/models/description.hpp"

namespace trestle::physics {

const Description& heat();

}  // namespace trestle::physics
