#include "jobs/slurm/requeue.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/files.hpp"
#include "jobs/batch/batch.hpp"

namespace trestle::jobs {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t counter_limit = 1 << 16;
constexpr std::uint64_t most_counted = 1'000'000;

bool is_ours(int code) { return code >= 64 && code <= 87; }

bool is_requeued(int code) { return code == 75 || code == 82 || code == 84 || code == 85; }

struct Outcome {
  int code = 0;
  bool complete = false;
  std::string reason;
};

/// What the launcher's code tells of a run that left no word of its end.
Outcome without_word(int code, const std::string& what) {
  constexpr int not_executable = 126, not_found = 127;
  const int lost = static_cast<int>(ExitCode::peer_lost);
  if (is_ours(code)) return {code, false, fmt::format("{}, the launcher returned {}", what, code)};
  if (code == not_executable || code == not_found)
    return {code, false, fmt::format("the program could not be started (code {})", code)};
  return {
      lost, false,
      fmt::format("{}, and the launcher returned {}: processes or nodes were lost", what, code)};
}

Outcome outcome_of(const RunEnd& end) {
  const bool wrote = status_stamp(end.directory) != end.seen;
  if (!wrote) return without_word(end.launcher_code, "the run wrote no status");
  const RunState state = read_run_state(end.directory);
  switch (state.kind) {
    case RunState::Kind::completed:
      return {state.code, true, state.message.empty() ? "completed" : state.message};
    case RunState::Kind::missing:
      return without_word(end.launcher_code, "the status cannot be read");
    case RunState::Kind::running:
      return without_word(end.launcher_code, "the run was cut off");
    default:
      return {state.code, false, state.message};
  }
}

/// The name of the newest committed checkpoint, which begins with its step; "" without one.
std::string newest_checkpoint(const std::string& directory) {
  std::string newest;
  std::error_code error;
  for (fs::directory_iterator it(directory + "/ckpt", error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (fs::exists(it->path() / "MANIFEST.json", error)) newest = std::max(newest, name);
  }
  return newest;
}

/// Starts in a row that brought no checkpoint, this one included.
int starts_without_progress(const std::string& directory) {
  const std::string file = directory + ".requeue.json";
  json former;
  if (access(file.c_str(), F_OK) == 0)
    former = json::parse(io::read_text_file(file, counter_limit), nullptr, false);
  const auto text = [&](const char* key) -> std::string {
    return former.is_object() && former.contains(key) && former[key].is_string()
               ? former[key].get<std::string>()
               : std::string();
  };
  const auto number = [&](const char* key) {
    return former.is_object() && former.contains(key) && former[key].is_number_unsigned()
               ? static_cast<int>(std::min(former[key].get<std::uint64_t>(), most_counted))
               : 0;
  };
  const std::string newest = newest_checkpoint(directory);
  const bool progress = newest > text("checkpoint");
  const int starts = progress ? 0 : number("without_progress") + 1;
  io::write_text_file(file, json{{"checkpoint", std::max(newest, text("checkpoint"))},
                                 {"without_progress", starts},
                                 {"requeues", number("requeues") + 1}}
                                    .dump() +
                                "\n");
  return starts;
}

}  // namespace

std::string status_stamp(const std::string& directory) {
  struct stat status {};
  if (stat((directory + "/status.json").c_str(), &status) != 0) return "none";
  return fmt::format("{}.{:09}", status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string word(Decision decision) {
  switch (decision) {
    case Decision::done:
      return "done";
    case Decision::requeue:
      return "requeue";
    case Decision::hold:
      return "hold";
    case Decision::stop:
      break;
  }
  return "stop";
}

Verdict judge_run(const RunEnd& end) {
  const Outcome outcome = outcome_of(end);
  const std::string counter = end.directory + ".requeue.json";
  if (!is_requeued(outcome.code) || outcome.complete) {
    unlink(counter.c_str());
    if (outcome.complete && outcome.code == 0) return {Decision::done, 0, outcome.reason};
    const bool hold = outcome.code == static_cast<int>(ExitCode::io);
    return {hold ? Decision::hold : Decision::stop, outcome.code, outcome.reason};
  }
  const int starts = starts_without_progress(end.directory);
  if (starts >= end.attempts)
    return {Decision::stop, static_cast<int>(ExitCode::no_progress),
            fmt::format("{} starts in a row without a new checkpoint, the last one: {}", starts,
                        outcome.reason)};
  return {Decision::requeue, outcome.code, outcome.reason};
}

}  // namespace trestle::jobs
