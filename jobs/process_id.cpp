#include "jobs/process_id.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "core/host_name.hpp"
#include "io/files.hpp"

namespace trestle::jobs {
namespace {

/// "" where there is no such file; but without a descriptor left nobody can be told from anybody.
std::string first_line(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  if (!file && (errno == EMFILE || errno == ENFILE))
    throw io::file_error("read", path, errno, ExitCode::system);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Ticks from boot to the start of a process [proc(5), field 22]; 0 where there is none or where it
/// is a zombie, which does nothing any more.
long long start_of(long long pid) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = line.rfind(')');  // the name may hold blanks
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string state, word;
  fields >> state;
  constexpr int from_state = 19;  // the state is field 3
  for (int i = 0; i < from_state; ++i) fields >> word;
  if (!fields || state == "Z" || state == "X") return 0;
  return std::atoll(word.c_str());
}

std::string process_space() {
  char name[64] = {};
  const ssize_t n = readlink("/proc/self/ns/pid", name, sizeof name - 1);
  return n > 0 ? std::string(name, static_cast<std::size_t>(n)) : "";
}

template <class T>
T member(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) return {};
  if constexpr (std::is_same_v<T, std::string>)
    return found->is_string() ? found->get<std::string>() : "";
  else
    return found->is_number_integer() ? found->get<T>() : 0;
}

}  // namespace

ProcessId this_process() {
  const long long pid = getpid();
  return {host_name(), first_line("/proc/sys/kernel/random/boot_id"), process_space(), pid,
          start_of(pid)};
}

nlohmann::json to_json(const ProcessId& process) {
  return {{"host", process.host},
          {"boot_id", process.boot},
          {"pid_space", process.space},
          {"pid", process.pid},
          {"start", process.start}};
}

ProcessId process_from(const nlohmann::json& json) {
  if (!json.is_object()) return {};
  return {member<std::string>(json, "host"), member<std::string>(json, "boot_id"),
          member<std::string>(json, "pid_space"), member<long long>(json, "pid"),
          member<long long>(json, "start")};
}

Liveness liveness(const ProcessId& process) {
  const ProcessId here = this_process();
  if (process.host != here.host || process.pid <= 0) return Liveness::unknown;
  if (process.boot != here.boot) return Liveness::dead;
  if (process.space != here.space) return Liveness::unknown;
  return process.start != 0 && start_of(process.pid) == process.start ? Liveness::alive
                                                                      : Liveness::dead;
}

}  // namespace trestle::jobs
