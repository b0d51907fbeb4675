#include "jobs/host_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace trestle::jobs {
namespace {

constexpr double kib = 1024;
constexpr double no_limit = 1e18;  // version 1 writes a number of this size where there is none

std::optional<double> number_in(const std::string& path) {
  std::ifstream file(path);
  double value = 0;
  if (!(file >> value)) return {};  // also "max"
  return value;
}

/// The number behind `key` in a file of lines "key number".
std::optional<double> number_at(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double value = 0;
    if (words >> name >> value && name == key) return value;
  }
  return {};
}

/// What a group leaves: its limit less what it holds, but for pages of files that it can drop.
void take_group(const std::string& folder, const char* limit_name, const char* usage_name,
                MemoryGrant& grant) {
  const auto limit = number_in(folder + "/" + limit_name);
  const auto usage = number_in(folder + "/" + usage_name);
  if (!limit || !usage || *limit > no_limit) return;
  const double dropped = number_at(folder + "/memory.stat", "inactive_file").value_or(0);
  const double left = std::max(0.0, *limit - std::max(0.0, *usage - dropped));
  if (left < grant.bytes) grant = {left, "the control group " + folder};
}

/// The groups of this process and all above them.
void take_groups(const std::string& root, MemoryGrant& grant) {
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_v2 = controllers.empty();
    if (!is_v2 && controllers.find("memory") == std::string::npos) continue;
    const std::string base = root + (is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory");
    std::string path = line.substr(second + 1);
    for (;;) {
      const std::string folder = path == "/" ? base : base + path;
      if (is_v2)
        take_group(folder, "memory.max", "memory.current", grant);
      else
        take_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", grant);
      const std::size_t slash = path.find_last_of('/');
      if (slash == std::string::npos || path.size() <= 1) break;
      path = slash == 0 ? "/" : path.substr(0, slash);
    }
  }
}

}  // namespace

MemoryGrant memory_of_machine(const std::string& root) {
  MemoryGrant grant{std::numeric_limits<double>::infinity(), "nobody"};
  if (const auto free = number_at(root + "/proc/meminfo", "MemAvailable:"))
    grant = {kib * *free, "the memory of the machine"};
  take_groups(root, grant);
  return grant;
}

MemoryGrant memory_of_process() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return {std::numeric_limits<double>::infinity(), "nobody"};
  const double pages = number_in("/proc/self/statm").value_or(0);
  const double used = pages * static_cast<double>(sysconf(_SC_PAGESIZE));
  return {std::max(0.0, static_cast<double>(limit.rlim_cur) - used),
          "the limit of address space (ulimit -v)"};
}

}  // namespace trestle::jobs
