#include "jobs/utc_time.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace trestle::jobs {

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace trestle::jobs
