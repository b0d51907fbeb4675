// The run directory: whose it is, and what was in it.
#pragma once

#include <memory>
#include <string>

#include "core/comm.hpp"
#include "core/error.hpp"
#include "jobs/lease.hpp"
#include "jobs/periodic.hpp"
#include "jobs/status.hpp"

namespace trestle::app {

struct DirectoryOptions {
  std::string path;
  bool overwrite = false;
  bool restart = false;  // --restart auto
};

/// The directory of one run, held by a lease for the life of this object; rank 0 has lease and
/// status and keeps them alive from a thread of its own.
class RunDirectory {
 public:
  /// Makes the directory, or takes one that is empty or ours. A finished run in it is moved to
  /// PATH.1, .2 ...; an unfinished one needs `overwrite` or `restart`. Throws Error 73 (cannot
  /// create, or files that are not ours), 77, or 86 while another run holds it. Collective.
  RunDirectory(const Comm& comm, const DirectoryOptions& options);

  const std::string& path() const { return path_; }
  /// Where the former run was moved, or "".
  const std::string& moved_to() const { return moved_to_; }
  /// 1 for the first run in the directory, one more for every later one.
  int incarnation() const { return incarnation_; }
  /// On other ranks than 0 one that does nothing.
  jobs::StatusFile& status() const { return *status_; }
  /// Null on other ranks than 0.
  jobs::Lease* lease() const { return lease_.get(); }

 private:
  void prepare(const DirectoryOptions& options, int n_ranks);

  std::string path_;
  std::string moved_to_;
  int incarnation_ = 0;
  std::unique_ptr<jobs::Lease> lease_;
  std::unique_ptr<jobs::StatusFile> status_ = std::make_unique<jobs::StatusFile>();
  std::unique_ptr<jobs::Periodic> heartbeat_;
};

/// Throws as RunDirectory would where it could not make its directory or write into it. Changes
/// nothing. Collective.
void check_directory(const Comm& comm, const DirectoryOptions& options);

}  // namespace trestle::app
