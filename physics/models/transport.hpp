// Transport of a solute: c' + v . grad c - div(D grad c) + r c = source.
#pragma once

#include "physics/models/description.hpp"

namespace trestle::physics {

const Description& transport();

}  // namespace trestle::physics
