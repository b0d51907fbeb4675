// Deadline: a run stops itself before its time is over.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "jobs/periodic.hpp"
#include "jobs/stop/board.hpp"

namespace trestle::jobs {

/// Seconds since 1970 at which the job ends by the answer of `squeue -o %e`, which is in local time
/// or "N/A"; nothing where that is no time.
std::optional<double> parse_end_time(const std::string& text);

/// The end of the Slurm job that this process belongs to, in seconds since 1970: from squeue, else
/// from SLURM_JOB_END_TIME; nothing outside of Slurm and without a limit. Takes up to 10 s.
std::optional<double> slurm_end_time();

/// Asks for a stop ahead of the end of the time, by what the next step and two saves take and a
/// minute more, or a tenth of a short limit. It reads Slurm's limit again every minute, so that a
/// changed one counts; in between time runs evenly, whatever becomes of the clock of this machine.
class Deadline {
 public:
  /// `wall_time` from the start of the process [s], 0 for none. `board` outlives it.
  Deadline(double wall_time, StopBoard& board,
           std::chrono::milliseconds between_readings = std::chrono::minutes(1));

  /// What a step and a save take now [s]. From any thread.
  void set_step(double seconds) { step_s_ = seconds; }
  void set_save(double seconds) { save_s_ = seconds; }

 private:
  using Clock = std::chrono::steady_clock;
  void look();
  void read_slurm();

  double wall_time_;
  StopBoard& board_;
  std::chrono::milliseconds between_readings_;
  std::atomic<double> step_s_{0}, save_s_{0};
  std::optional<Clock::time_point> slurm_end_;
  Clock::time_point start_, next_reading_;
  bool asked_ = false;
  Periodic watch_;
};

}  // namespace trestle::jobs
