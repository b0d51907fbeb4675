// Flow through porous media: S p' + div q = source, q = -k/mu (grad p - rho g) [Bear 1972].
#pragma once

#include "physics/models/description.hpp"

namespace trestle::physics {

const Description& darcy();

}  // namespace trestle::physics
