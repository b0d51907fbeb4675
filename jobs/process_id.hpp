// ProcessId: a process among all of all machines and of all times.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace trestle::jobs {

/// A process number is used again, after a boot and within another container at the same time: what
/// makes it unique stands beside it.
struct ProcessId {
  std::string host;
  std::string boot;   // the kernel's random number of this boot
  std::string space;  // the name space of process numbers
  long long pid = 0;
  long long start = 0;  // ticks from boot to the start of the process
  bool operator==(const ProcessId&) const = default;
};

ProcessId this_process();
nlohmann::json to_json(const ProcessId& process);
/// Members that are missing or of another type stay empty.
ProcessId process_from(const nlohmann::json& json);

enum class Liveness { alive, dead, unknown };
/// Whether the process runs (or is stopped); unknown on another machine or in another container.
Liveness liveness(const ProcessId& process);

}  // namespace trestle::jobs
