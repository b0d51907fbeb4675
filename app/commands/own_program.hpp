// The path of this program.
#pragma once

#include <string>

namespace trestle::app {

/// Absolute; "trestle" where the system does not tell.
std::string own_program();

}  // namespace trestle::app
