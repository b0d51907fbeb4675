// Checkpointer: when a run saves its state, and where it stops because it was asked to.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/state/restart.hpp"
#include "core/timers.hpp"
#include "io/checkpoint/write.hpp"
#include "io/report/report.hpp"
#include "jobs/stop/request.hpp"

namespace trestle::app {

/// Where a march stands after a step that it has taken.
struct Progress {
  std::int64_t step = 0;
  double time = 0;  // [s], or the load factor
  bool done = false;
};

class Checkpointer {
 public:
  /// All but `restart` outlive it.
  struct Parts {
    const Comm& comm;
    const io::Case& c;
    RunDirectory& directory;
    Console& console;
    io::Report& report;
    std::chrono::steady_clock::time_point start;  // of the process
  };
  Checkpointer(const Parts& parts, std::optional<Restart> restart);

  /// The mesh and the number of unknowns of this run. Throws Error(76) where the checkpoint is of
  /// another mesh. Collective.
  void use_mesh(const mesh::Mesh& mesh, std::int64_t n_dofs);
  /// The checkpoint that the run goes on from, or null.
  const Restart* restart() const { return restart_ ? &*restart_ : nullptr; }

  /// What results will be written beside the checkpoints [bytes].
  void expect_results(double bytes) { results_bytes_ = bytes; }

  /// Before the first step: warns where the disk will not hold what is planned, and loads the
  /// checkpoint, if there is one, into what `visit` visits and into the report. Returns whether
  /// there was one. Throws Error(76). Collective.
  bool begin(const io::VisitState& visit);
  /// After a step that was taken, or before one that is given up: saves when it is time to, or
  /// asked to. Throws jobs::Stopped where the run is to end here: 75 with a checkpoint of this
  /// state, 85 without; SystemError(74) where saving fails again and again or at a stop,
  /// NumericalError(81) for a state with values that are not finite, Error(86) where another
  /// process has taken the run over. Collective.
  void after_step(const Progress& progress, const jobs::StopRequest& request,
                  const io::VisitState& visit, Timers& timers);
  /// From here on the last good state is kept ready beside the device, which may fail: after a
  /// step, as often as 2 % of the time allow.
  void distrust_device() { keeps_ready_ = true; }
  /// Makes a checkpoint of the state that was kept ready, unless there is a newer one: a sentence
  /// about it, or "" where there is none. Never throws. Local.
  std::string rescue() noexcept;
  /// Why the newest state has no checkpoint that was due; "" where it has one, or none was due.
  std::string unsaved_end() const;
  /// Whether a checkpoint of this state was made or loaded.
  bool has(const Progress& progress) const { return saved_step_ == progress.step; }
  /// How long the run has been deaf to a request to stop: where that is long, a stop finds the last
  /// step saved, as often as 2 % of the time allow. [s]
  void add_silence(double seconds) { silence_ = std::max(silence_, seconds); }
  /// What a save costs, by those of this process; 0 before the first one [s].
  double cost() const;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Why { not_now, due, asked, end };

  bool enabled() const { return parts_.c.checkpoint.rule != io::CheckpointOptions::Rule::never; }
  void forecast(const io::VisitState& visit);
  bool is_due(const Progress& progress) const;
  double interval() const;
  Why decide(const Progress& progress, const jobs::StopRequest& request) const;
  /// Whether a checkpoint was made; where not, the cause is in `failure_`.
  bool save(const Progress& progress, const io::VisitState& visit);
  void after_save(const Progress& progress, const io::SavedCheckpoint& saved);
  /// Reads the checkpoint back where it is one to be sure of. Collective.
  void verify(const io::SavedCheckpoint& saved);
  void tell(const Progress& progress, const io::SavedCheckpoint& saved);
  io::CheckpointHead head(const Progress& progress) const;
  /// All that a checkpoint holds: the report, and what `visit` visits.
  io::VisitState with_report(const io::VisitState& visit) const;
  bool is_time_to_keep_ready(const Progress& progress) const;
  void keep_ready(const Progress& progress, const io::VisitState& visit);
  /// Removes what was kept ready. Rank 0 does it.
  void drop_ready() noexcept;
  [[noreturn]] void stop(const jobs::StopRequest& request, const Progress& progress,
                         bool saved) const;
  /// Seconds of this process. Rank 0.
  double work_s() const { return seconds_since(parts_.start); }
  double seconds_since(Clock::time_point start) const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  Parts parts_;
  std::optional<Restart> restart_;
  io::CheckpointWriter writer_;
  std::string mesh_hash_;
  std::int64_t n_dofs_ = 0;
  double results_bytes_ = 0;      // to come
  std::int64_t saved_step_ = -1;  // of the newest checkpoint
  std::string protected_;         // the checkpoint gone on from, until a newer one was read back
  std::vector<double> costs_;     // of the saves of this process [s]
  int n_saves_ = 0, n_failures_ = 0;
  std::exception_ptr failure_;
  std::string failure_text_;
  Clock::time_point last_save_ = Clock::now(), told_ = last_save_;
  double wait_ = 0;     // after a failure [s]
  double silence_ = 0;  // the longest one [s]
  bool keeps_ready_ = false;
  std::string ready_;  // the checkpoint that is prepared, not committed
  std::int64_t ready_step_ = -1;
  double ready_cost_ = 0;  // [s]
  Clock::time_point made_ready_;
};

}  // namespace trestle::app
