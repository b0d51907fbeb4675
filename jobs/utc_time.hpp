// The time of day as files of a run write it.
#pragma once

#include <string>

namespace trestle::jobs {

/// Now, such as 2026-05-01T12:00:00Z.
std::string utc_now();

}  // namespace trestle::jobs
