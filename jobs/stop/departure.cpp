#include "jobs/stop/departure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "jobs/stop/signals.hpp"
#include "jobs/watch/whereabouts.hpp"

namespace trestle::jobs {
namespace {

constexpr std::chrono::milliseconds beat{500};
constexpr double patience_s = 5;  // longer than between two looks of a solve on a busy machine

}  // namespace

Departure::Departure(const StopBoard& board, std::function<void(const std::string&)> note)
    : board_(board),
      note_(std::move(note)),
      patience_(patience_s),
      thread_(beat, [this] { look(); }) {}

void Departure::look() {
  const auto now = Patience::Clock::now();
  const Signalled signals = signalled();
  const StopBoard::Entry asked = board_.entry();
  const std::uint64_t progress = whereabouts().progress;
  const bool is_asked = std::max(signals.level, asked.level) >= StopLevel::stop;
  if (!is_asked || !saved_ || progress != progress_) patience_.renew(now);
  progress_ = progress;
  if (!patience_.is_over(now)) return;
  end(signals.level >= asked.level ? fmt::format("signal {}", signal_name(signals.signal))
                                   : asked.reason);
}

void Departure::end(const std::string& reason) {
  const std::string message = fmt::format(
      "in the middle of step {} ({}), in what cannot be broken off (phase {}); the "
      "state before it has its checkpoint: --restart auto goes on",
      whereabouts().step.load() + 1, reason, whereabouts().phase.load());
  fmt::print(stderr, "stopped: {}\n", message);
  std::fflush(stderr);
  note_(message);
  _exit(static_cast<int>(ExitCode::stopped_saved));
}

}  // namespace trestle::jobs
