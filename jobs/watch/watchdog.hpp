// Watchdog: a rank that is stopped, lost or hangs ends the run, instead of all others waiting for
// it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/comm.hpp"
#include "io/case/case.hpp"
#include "jobs/periodic.hpp"
#include "jobs/watch/beat_ring.hpp"

namespace trestle::jobs {

/// Times without anything, told by what came in the meantime; for one thread.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;
  /// `limit` 0 has no end. [s]
  explicit Patience(double limit) : limit_(limit) {}
  void renew(Clock::time_point now) { since_ = now; }
  /// Whether nothing has come for longer than the limit. Where this process itself did not run for
  /// a while, being suspended, the time counts anew: the others were suspended too.
  bool is_over(Clock::time_point now);

 private:
  double limit_;
  std::optional<Clock::time_point> since_, last_look_;
};

/// A thread on every rank. It watches the rank before, which sends a beat every second, and the
/// progress of its own main thread; where one of them is missing for too long it writes a line that
/// names rank, machine, phase and step, the stack of its own main thread, and ends the process with
/// 84, at which the launcher ends the others.
class Watchdog {
 public:
  /// `note` is called with the message before the end, from the thread. Collective.
  Watchdog(const Comm& comm, const io::WatchdogOptions& options,
           std::function<void(const std::string&)> note);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  /// Says goodbye to the next rank.
  ~Watchdog();

 private:
  void look();
  void look_at_peer(Patience::Clock::time_point now);
  void look_at_self(Patience::Clock::time_point now);
  [[noreturn]] void end(const std::string& message);

  io::WatchdogOptions options_;
  std::function<void(const std::string&)> note_;
  int rank_;
  std::unique_ptr<BeatRing> ring_;  // null for one rank
  std::optional<Beat> last_beat_;
  Patience peer_, self_;
  std::uint64_t progress_ = 0;
  std::unique_ptr<Periodic> thread_;
};

}  // namespace trestle::jobs
