// Departure: a run that was asked to stop leaves where its work cannot hear that.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "jobs/periodic.hpp"
#include "jobs/stop/board.hpp"
#include "jobs/watch/watchdog.hpp"

namespace trestle::jobs {

/// What a run loses that ends now: nothing, for it has taken no step or its last one has a
/// checkpoint; or steps.
enum class Loss { no_step_yet, steps, none };

/// A thread on every rank. The reading of a mesh, the factorisation of a matrix or a write to a
/// disk that hangs cannot be broken off, and may take longer than a notice gives: where this
/// process was asked to stop, and its main thread has made no progress for some seconds, it ends
/// where nothing is lost by that, with 75 where there is a checkpoint to go on from and with 85
/// before the first step. Where steps are lost it ends when its time is over, with 85. The launcher
/// ends the others then.
class Departure {
 public:
  /// Called before the end with its code and a sentence, from another thread.
  using Note = std::function<void(ExitCode, const std::string&)>;
  /// `board` outlives it.
  Departure(const StopBoard& board, Note note);

  /// From any thread.
  void set_loss(Loss loss) { loss_ = loss; }

 private:
  void look();
  [[noreturn]] void end(Loss loss, const std::string& reason);

  const StopBoard& board_;
  Note note_;
  std::atomic<Loss> loss_{Loss::no_step_yet};
  Patience patience_;
  std::uint64_t progress_ = 0;
  Periodic thread_;
};

}  // namespace trestle::jobs
