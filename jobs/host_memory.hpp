// What memory the operating system still grants: the machine, a container or batch job, a process.
#pragma once

#include <string>

namespace trestle::jobs {

struct MemoryGrant {
  double bytes = 0;
  std::string by;  // who limits it, for a message
};

/// For all processes of this machine together: MemAvailable, or what the control groups of this
/// process leave (versions 1 and 2), whichever is less. `root` is where /proc and /sys lie.
MemoryGrant memory_of_machine(const std::string& root = "");

/// For this process: RLIMIT_AS less what it has; infinite without a limit.
MemoryGrant memory_of_process();

}  // namespace trestle::jobs
