// Departure: a run that was asked to stop leaves where its work cannot hear that and nothing is
// lost by it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "jobs/periodic.hpp"
#include "jobs/stop/board.hpp"
#include "jobs/watch/watchdog.hpp"

namespace trestle::jobs {

/// A thread on every rank. The factorisation of a matrix cannot be broken off, and may take longer
/// than a notice gives: where this process was asked to stop, its main thread has made no progress
/// for some seconds, and a checkpoint of the last step exists, it ends with 75, at which the
/// launcher ends the others.
class Departure {
 public:
  /// `board` outlives it. `note` is called with the message before the end, from the thread.
  Departure(const StopBoard& board, std::function<void(const std::string&)> note);

  /// Whether the state after the last step is in a checkpoint. From any thread.
  void set_saved(bool saved) { saved_ = saved; }

 private:
  void look();
  [[noreturn]] void end(const std::string& reason);

  const StopBoard& board_;
  std::function<void(const std::string&)> note_;
  std::atomic<bool> saved_{false};
  Patience patience_;
  std::uint64_t progress_ = 0;
  Periodic thread_;
};

}  // namespace trestle::jobs
