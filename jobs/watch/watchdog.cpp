#include "jobs/watch/watchdog.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "core/host_name.hpp"
#include "core/standard_streams.hpp"
#include "jobs/leave.hpp"
#include "jobs/watch/stack_dump.hpp"
#include "jobs/watch/whereabouts.hpp"

namespace trestle::jobs {
namespace {

constexpr std::chrono::seconds beat{1};
constexpr std::chrono::seconds suspended{5};  // a look that comes so late

}  // namespace

bool Patience::is_over(Clock::time_point now) {
  const bool slept = last_look_ && now - *last_look_ > suspended;
  last_look_ = now;
  if (!since_ || slept) since_ = now;
  return limit_ > 0 && std::chrono::duration<double>(now - *since_).count() > limit_;
}

Watchdog::Watchdog(const Comm& comm, const io::WatchdogOptions& options,
                   std::function<void(const std::string&)> note)
    : options_(options),
      note_(std::move(note)),
      rank_(comm.rank()),
      peer_(options.silence),
      self_(options.no_progress) {
  prepare_stack_dump();
  if (comm.size() > 1 && options.silence > 0) ring_ = std::make_unique<BeatRing>(comm);
  thread_ = std::make_unique<Periodic>(beat, [this] { look(); });
}

Watchdog::~Watchdog() {
  thread_.reset();
  if (ring_)
    for (int copy = 0; copy < 3; ++copy) ring_->send(true);  // datagrams may be lost
}

void Watchdog::look() {
  const auto now = Patience::Clock::now();
  look_at_peer(now);
  look_at_self(now);
}

void Watchdog::look_at_peer(Patience::Clock::time_point now) {
  if (!ring_) return;
  ring_->send(false);
  if (const auto came = ring_->receive()) {
    last_beat_ = came;
    peer_.renew(now);
  }
  // Where no beat has ever arrived a firewall may keep them: that is no sign of anything.
  if (!last_beat_ || last_beat_->is_last != 0 || !peer_.is_over(now)) return;
  end(
      fmt::format("rank {} on {} has given no sign of life for {:g} s (watchdog.silence): it is "
                  "stopped or lost; it was in phase {}, step {}",
                  ring_->watched_rank(), ring_->watched_host(), options_.silence, last_beat_->phase,
                  last_beat_->step));
}

void Watchdog::look_at_self(Patience::Clock::time_point now) {
  const std::uint64_t progress = whereabouts().progress;
  if (progress != progress_) self_.renew(now);
  progress_ = progress;
  if (!self_.is_over(now)) return;
  end(
      fmt::format("rank {} on {} has made no progress for {:g} s (watchdog.no_progress) in phase "
                  "{}, step {}: it hangs, or waits for one that does",
                  rank_, host_name(), options_.no_progress, whereabouts().phase.load(),
                  whereabouts().step.load()));
}

void Watchdog::end(const std::string& message) {
  leave(ExitCode::peer_lost, [this, message] {
    write_to(stderr, "error on rank {}: {}; the stack of rank {}:\n", rank_, message, rank_);
    std::fflush(stderr);
    dump_main_stack();
    note_(message);
  });
}

}  // namespace trestle::jobs
