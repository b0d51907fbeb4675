#include "jobs/stop/departure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/standard_streams.hpp"
#include "jobs/leave.hpp"
#include "jobs/stop/signals.hpp"
#include "jobs/watch/whereabouts.hpp"

namespace trestle::jobs {
namespace {

constexpr std::chrono::milliseconds beat{500};
constexpr double patience_s = 5;  // longer than between two looks of a solve on a busy machine
constexpr std::chrono::seconds last_moment{5};  // of the time that a run has

bool is_over(const std::optional<StopBoard::Clock::time_point>& end) {
  return end && *end - StopBoard::Clock::now() < last_moment;
}

std::string what_is_lost(Loss loss) {
  switch (loss) {
    case Loss::no_step_yet:
      return "there was nothing to save yet";
    case Loss::none:
      return "the state before it has its checkpoint: --restart auto goes on";
    case Loss::steps:
      break;
  }
  return "and its time is over: what came after the last checkpoint is lost";
}

}  // namespace

Departure::Departure(const StopBoard& board, Note note)
    : board_(board),
      note_(std::move(note)),
      patience_(patience_s),
      thread_(beat, [this] { look(); }) {}

void Departure::look() {
  const auto now = Patience::Clock::now();
  const Signalled signals = signalled();
  const StopBoard::Entry asked = board_.entry();
  const std::uint64_t progress = whereabouts().progress;
  const StopLevel level = std::max(signals.level, asked.level);
  if (level < StopLevel::stop || progress != progress_) patience_.renew(now);
  progress_ = progress;
  const Loss loss = loss_;
  if (!patience_.is_over(now) || (loss == Loss::steps && !is_over(asked.end))) return;
  // A launcher that has lost another rank terminates this one, too: that is no stop in order.
  if (loss == Loss::no_step_yet && level == StopLevel::terminate) return;
  end(loss, signals.level >= asked.level ? fmt::format("signal {}", signal_name(signals.signal))
                                         : asked.reason);
}

void Departure::end(Loss loss, const std::string& reason) {
  const ExitCode code = loss == Loss::none ? ExitCode::stopped_saved : ExitCode::stopped_unsaved;
  const std::string message = fmt::format(
      "in the middle of step {} ({}), in what cannot be broken off (phase {}); {}",
      whereabouts().step.load() + 1, reason, whereabouts().phase.load(), what_is_lost(loss));
  leave(code, [this, code, message] {
    write_to(stderr, "stopped: {}\n", message);
    std::fflush(stderr);
    note_(code, message);
  });
}

}  // namespace trestle::jobs
