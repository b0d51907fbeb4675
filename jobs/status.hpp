// status.json: what a run does, or how it ended, for programs outside of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "core/error.hpp"

namespace trestle::jobs {

/// A committed checkpoint.
struct SavedState {
  std::string path;
  std::int64_t step = 0;
  double time = 0;      // of the analysis [s]
  std::string written;  // time of day
};

struct Status {
  std::string state = "running";  // "running", "stopped", "completed", "failed"
  ExitCode exit_code = ExitCode::done;
  std::string message;  // why it stopped or failed
  std::string phase;    // what it does now: "mesh", "space", "solve" ...
  int incarnation = 1;
  int ranks = 1;
  std::string started;                   // time of day
  std::int64_t step = 0;                 // accepted steps
  double running_s = 0;                  // this incarnation, whatever the time of day does
  std::optional<double> time;            // of the analysis [s]; none where nothing marches
  std::optional<double> end;             // [s]
  std::optional<double> eta_s;           // how long it will take to the end
  std::optional<SavedState> checkpoint;  // the newest one
};

/// As JSON, with host, process and time of day.
std::string status_text(const Status& status);

/// Writes `text` as status.json of a run directory, whole or not at all; on a full disk over the
/// bytes of the former one. Throws SystemError 73, 74 or 77.
void write_status(const std::string& directory, const Status& status);

/// Changes the status on disk to "failed", from any process of a run. Throws as write_status.
void note_failure(const std::string& directory, ExitCode code, const std::string& message);

/// "running", "stopped", "completed" or "failed"; "" where `directory` has no status.
std::string state_of(const std::string& directory);

/// The last start of a former run in `directory`, its accepted steps and newest checkpoint, as its
/// status tells.
struct FormerProgress {
  std::int64_t incarnation = 0;
  double running_s = 0;
  std::int64_t step = 0;
  std::optional<SavedState> checkpoint;
  std::int64_t exit_code = 0;
  std::string message;  // why it stopped or failed
};
FormerProgress progress_of(const std::string& directory);

/// The status of a run in progress, kept by one rank: changes are cheap, another thread writes
/// them down.
class StatusFile {
 public:
  /// Of a rank that keeps none: does nothing.
  StatusFile() = default;
  /// Writes the first status. Throws as write_status.
  StatusFile(std::string directory, Status first);
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;

  /// A phase begins: written at once, and never throws.
  void enter(const std::string& phase) noexcept;
  /// `step` was accepted, which took the analysis to `time` of `end` [s].
  void step(std::int64_t step, double time, double end);
  /// A checkpoint was committed: written at once, and never throws.
  void saved(const SavedState& checkpoint) noexcept;
  /// Writes down what is known, unless the run has ended, or another rank has noted its failure.
  void refresh() noexcept;
  /// How the run ended; nothing is written after it. Throws as write_status.
  void finish(const std::string& state, ExitCode code, const std::string& message);

  Status status() const;

 private:
  using Clock = std::chrono::steady_clock;
  void estimate(double time, double end);
  void write();

  std::string directory_;
  mutable std::mutex mutex_;
  Status status_;
  bool ended_ = true;
  Clock::time_point begin_ = Clock::now();
  std::optional<Clock::time_point> first_at_;  // of the first step here
  double first_time_ = 0;
};

}  // namespace trestle::jobs
