// Lease: the right of one run to write into its directory, against two jobs in one directory.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

#include "io/files.hpp"

namespace trestle::jobs {

/// The time between two beats of a lease, and after how many without one its run counts as dead.
constexpr std::chrono::seconds heartbeat{5};
constexpr int missed_beats = 3;

/// lease.json in a run directory names host, boot, process and incarnation of the run that holds
/// it, and counts its beats. One process of a run has it; `beat` may come from another thread.
class Lease {
 public:
  /// Takes the lease of `directory`: at once where there is none, it was given back, or its process
  /// of this machine is dead; after three missed beats where it names another machine. Throws
  /// Error(86) while a living run holds it, SystemError 73 or 77 where the file cannot be made.
  /// `beat` is the time between two beats of whoever may hold it.
  explicit Lease(const std::string& directory, std::chrono::milliseconds beat = heartbeat);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  /// Gives the lease back, unless it was lost.
  ~Lease();

  /// 1 for the first run in the directory, one more for every later one.
  int incarnation() const { return incarnation_; }

  /// One more beat, where the lease is still this run's. Never throws.
  void beat() noexcept;
  /// Throws Error(86) when another run has taken the lease, SystemError(74) when it cannot be read:
  /// to be called before anything is published.
  void require_held();
  /// Leaves the lease as it was found, for a run that does not begin. Nothing else may follow.
  void undo() noexcept;

 private:
  std::string text(bool released) const;
  void lock();
  void take(std::chrono::milliseconds beat);
  bool is_held();
  void write(const std::string& text);

  std::string path_;
  std::string former_;
  io::FileDescriptor file_;
  std::mutex mutex_;
  int incarnation_ = 1;
  long long beats_ = 0;
};

/// The incarnation that the lease in `directory` names last, 0 where there is none.
int last_incarnation(const std::string& directory);

}  // namespace trestle::jobs
