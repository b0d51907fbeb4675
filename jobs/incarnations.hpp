// Incarnations: the starts of one run, what each of them saved, and when there were too many for
// nothing: the one rule by which a run, and the job that it runs in, are not begun again by
// themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace trestle::jobs {

/// One process group that worked on a run.
struct Incarnation {
  std::int64_t number = 0;  // from 1
  std::string started;      // ISO 8601, UTC
  std::string host;
  int ranks = 1;
  std::string from;  // the checkpoint that it goes on from; "": from the beginning
  std::int64_t from_step = 0;
  bool entered = false;         // it has begun with steps
  std::int64_t saved_step = 0;  // of its last checkpoint
  int n_saves = 0;
  double save_s = 0;       // of all saves
  std::int64_t bytes = 0;  // of the last save
  int failed_saves = 0;
  double wall_s = 0;        // to its last sign of life
  double saved_wall_s = 0;  // to its last checkpoint
  double setup_s = 0;       // before its first step
  /// "completed", "failed", "stopped"; "refused": for a fault of the user, which the next start may
  /// be without; "lost": it did not come to its directory; "": interrupted, or at work.
  std::string end;
};

/// Whether an error is one of words, case, mesh or directory that whoever begins the run can mend.
bool is_refusal(ExitCode code);

/// The file incarnations.json of a run directory, on rank 0.
class Incarnations {
 public:
  /// Reads what is there; a damaged file counts as none. What the last start could not write down
  /// itself, its checkpoints and how long it worked, is taken from what it left.
  explicit Incarnations(std::string directory);

  const std::vector<Incarnation>& list() const { return list_; }
  /// The last start, before `begin`.
  std::int64_t last_number() const { return list_.empty() ? 0 : list_.back().number; }
  void begin(Incarnation incarnation);
  Incarnation& present() { return list_.back(); }
  /// Writes the file. A disk that is full leaves the former one: what it tells is not needed to go
  /// on rightly. Never throws.
  void write() const noexcept;
  void clear() { list_.clear(); }

  /// Whether any start has made a checkpoint.
  bool ever_saved() const;
  /// How often the newest starts began with steps from checkpoint `from` and saved nothing.
  int attempts(const std::string& from) const;
  /// Why this run is not begun again by itself: the last 3 starts that began with steps saved
  /// nothing, or the last 10 did not come so far, those that were refused left out. "" where it is.
  std::string loop() const;
  /// Starts that were interrupted, and the time that all have worked [s].
  int n_interruptions() const;
  double work_s() const;

 private:
  void complete_last();

  std::string directory_;
  std::vector<Incarnation> list_;
};

}  // namespace trestle::jobs
