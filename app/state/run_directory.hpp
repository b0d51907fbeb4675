// The run directory: whose it is, and what was in it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/comm.hpp"
#include "core/error.hpp"
#include "jobs/incarnations.hpp"
#include "jobs/lease.hpp"
#include "jobs/periodic.hpp"
#include "jobs/status.hpp"

namespace trestle::app {

struct DirectoryOptions {
  std::string path;
  SourcePosition where = {};  // of `output.directory` where the case names it
  bool overwrite = false;
  bool restart = false;         // take up a run that did not finish, or has further to go
  bool from_elsewhere = false;  // a checkpoint was named: guards against loops do not apply
};

/// The directory of one run, held by a lease for the life of this object; rank 0 has lease and
/// status and keeps them alive from a thread of its own.
class RunDirectory {
 public:
  /// Makes the directory, or takes one that is empty or ours. A finished run in it is moved to
  /// PATH.1, .2 ..., unless it is taken up with `restart` and has checkpoints; one that is
  /// unfinished, or has lost its status, needs `overwrite` or `restart`. Throws Error 73 (cannot
  /// create, or files that are not ours), 77, 86 while another run holds it, or 87 where too many
  /// starts came to nothing. Collective.
  RunDirectory(const Comm& comm, const DirectoryOptions& options);

  const std::string& path() const { return path_; }
  /// Where the former run was moved, or "".
  const std::string& moved_to() const { return moved_to_; }
  /// What a person should know of the run that is taken up, or "".
  const std::string& warning() const { return warning_; }
  /// 1 for the first run in the directory, one more for every later one.
  std::int64_t incarnation() const { return incarnation_; }
  /// Where its checkpoints are.
  std::string checkpoints() const { return path_ + "/ckpt"; }
  /// Whether there is a run to take up; the same on all ranks.
  bool takes_up() const { return takes_up_; }
  /// Whether the status or the starts of that run name a checkpoint. Rank 0.
  bool had_checkpoint() const { return had_checkpoint_; }
  /// The starts so far, this one the last. Rank 0.
  jobs::Incarnations& incarnations() { return *incarnations_; }
  const jobs::Incarnations& incarnations() const { return *incarnations_; }
  /// Removes what a run has written: it begins at the beginning. Collective.
  void clear();
  /// On other ranks than 0 one that does nothing.
  jobs::StatusFile& status() const { return *status_; }
  /// Null on other ranks than 0.
  jobs::Lease* lease() const { return lease_.get(); }

 private:
  void prepare(const DirectoryOptions& options);
  void begin_incarnation(const DirectoryOptions& options);

  Comm comm_;
  std::string path_;
  std::string moved_to_, warning_;
  std::int64_t incarnation_ = 0;
  bool takes_up_ = false, had_checkpoint_ = false;
  std::optional<jobs::Incarnations> incarnations_;
  std::unique_ptr<jobs::Lease> lease_;
  std::unique_ptr<jobs::StatusFile> status_ = std::make_unique<jobs::StatusFile>();
  std::unique_ptr<jobs::Periodic> heartbeat_;
};

/// Whether there is a run in `path`: by its status, else by a checkpoint, or by its lease and
/// starts.
bool holds_run(const std::string& path);

/// Throws Error(77) where a run directory or its checkpoints lie outside TRESTLE_ROOTS or may not
/// be read; what does not exist is none of its business.
void require_readable_run(const std::string& path);

/// Throws as RunDirectory would where it could not make its directory or write into it. Leaves
/// everything as it was. Collective.
void check_directory(const Comm& comm, const DirectoryOptions& options);

}  // namespace trestle::app
