// The run directory: whose it is, what was in it, and the status file that says how a run ended.
#pragma once

#include <string>

#include "core/comm.hpp"
#include "core/error.hpp"
#include "io/files.hpp"

namespace trestle::app {

struct DirectoryOptions {
  std::string path;
  bool overwrite = false;
  bool restart = false;  // --restart auto
};

/// The directory of one run, held by a lock for the life of this object (rank 0).
class RunDirectory {
 public:
  /// Makes the directory, or takes one that is empty or ours. A finished run in it is moved to
  /// PATH.1, .2 ...; an unfinished one needs `overwrite` or `restart`. Throws Error 73 (cannot
  /// create, or files that are not ours), 77, or 86 while another run holds it. Collective.
  RunDirectory(const Comm& comm, const DirectoryOptions& options);

  const std::string& path() const { return path_; }
  /// Where the former run was moved, or "".
  const std::string& moved_to() const { return moved_to_; }

 private:
  void prepare(const DirectoryOptions& options);
  void lock();

  std::string path_;
  std::string moved_to_;
  io::FileDescriptor lock_;
};

/// Throws as RunDirectory would where it could not make its directory or write into it. Changes
/// nothing. Collective.
void check_directory(const Comm& comm, const DirectoryOptions& options);

/// Writes status.json: state "running", "completed" or "failed"; on a full disk over the
/// bytes of the former one. Local: one rank calls it.
void write_status(const std::string& directory, const std::string& state, ExitCode code,
                  const std::string& message);

}  // namespace trestle::app
