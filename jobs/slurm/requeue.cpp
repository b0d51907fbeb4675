#include "jobs/slurm/requeue.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/host_name.hpp"
#include "jobs/batch/batch.hpp"
#include "jobs/incarnations.hpp"
#include "jobs/utc_time.hpp"

namespace trestle::jobs {
namespace {

namespace fs = std::filesystem;

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

bool wrote_status(const RunEnd& end) { return status_stamp(end.directory) != end.seen; }

Outcome outcome_of(const RunEnd& end) {
  if (!wrote_status(end)) return without_word(end.launcher_code, "the run wrote no status");
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

/// A start that did not come to its run directory has an entry among the others all the same;
/// false where that cannot be written.
bool note_lost_start(const RunEnd& end) {
  std::error_code ignored;
  fs::create_directories(end.directory, ignored);
  Incarnations starts(end.directory);
  Incarnation lost;
  lost.number = starts.last_number() + 1;
  lost.started = utc_now();
  lost.host = host_name();
  lost.end = "lost";
  starts.begin(lost);
  starts.write();
  return Incarnations(end.directory).last_number() == lost.number;
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
  if (!is_requeued(outcome.code) || outcome.complete) {
    if (outcome.complete && outcome.code == 0) return {Decision::done, 0, outcome.reason};
    const bool hold = outcome.code == static_cast<int>(ExitCode::io);
    return {hold ? Decision::hold : Decision::stop, outcome.code, outcome.reason};
  }
  if (!wrote_status(end) && !note_lost_start(end))
    return {
        Decision::stop, outcome.code,
        outcome.reason + "; the run directory cannot be written, so that starts are not counted"};
  const std::string loop = Incarnations(end.directory).loop();
  if (loop.empty()) return {Decision::requeue, outcome.code, outcome.reason};
  return {Decision::stop, static_cast<int>(ExitCode::no_progress),
          fmt::format("{} The last one: {}", loop, outcome.reason)};
}

}  // namespace trestle::jobs
