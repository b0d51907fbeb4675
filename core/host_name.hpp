// The name of this machine.
#pragma once

#include <string>

namespace trestle {

/// "unknown" where the system does not tell.
std::string host_name();

}  // namespace trestle
