// The version of this build.
#pragma once

#include <string_view>

namespace trestle::io {

constexpr std::string_view version = "0.1.0";

}  // namespace trestle::io
