#include "app/run_directory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include "io/files.hpp"
#include "io/roots.hpp"

namespace trestle::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* status_name = "status.json";
constexpr const char* lease_name = "lease.json";

bool is_empty(const fs::path& path) {
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().filename() != lease_name) return false;
  return true;
}

/// Throws where `path` may not or cannot be a run directory.
void refuse_foreign(const std::string& path) {
  io::require_in_roots(path);
  if (!fs::exists(path)) return;
  if (!fs::is_directory(path))
    throw Error(ExitCode::cannot_create,
                fmt::format("{} is no directory; choose another with --output", path));
  if (!is_empty(path) && jobs::state_of(path).empty())
    throw Error(
        ExitCode::cannot_create,
        fmt::format("{} holds files that are not of a Trestle run; choose another directory with "
                    "--output, or empty this one",
                    path));
}

/// Whether the run in `path` has finished; throws where it has not and `options` do not allow that.
bool refuse_unfinished(const std::string& path, const DirectoryOptions& options) {
  const std::string state = jobs::state_of(path);
  const bool finished = state == "completed" || state == "failed";
  if (!finished && !options.overwrite && !options.restart)
    throw Error(ExitCode::cannot_create,
                fmt::format("{} holds a run that did not finish; --restart auto does it again, "
                            "--overwrite starts anew, --output takes another directory",
                            path));
  return finished;
}

/// Throws where no file or folder can be made at `path`: in it, or in the nearest folder above it
/// that exists.
void refuse_unwritable(const std::string& path) {
  fs::path place = fs::absolute(path);
  while (!fs::exists(place) && place.has_relative_path()) place = place.parent_path();
  if (!fs::is_directory(place))
    throw io::file_error("make the run directory", path, ENOTDIR, ExitCode::cannot_create);
  if (access(place.c_str(), W_OK | X_OK) != 0)
    throw io::file_error("write into", place.string(), errno, ExitCode::cannot_create);
}

/// Runs `work` on rank 0; what the file system refuses is told as a fault of `path`.
void on_root(const Comm& comm, const std::string& path, const std::function<void()>& work) {
  comm.agree([&] {
    if (!comm.is_root()) return;
    try {
      work();
    } catch (const fs::filesystem_error& e) {
      throw io::file_error("make the run directory", path, e.code().value(),
                           ExitCode::cannot_create);
    }
  });
}

std::string next_free_name(const std::string& path) {
  for (int n = 1;; ++n)
    if (const std::string name = fmt::format("{}.{}", path, n);
        !fs::exists(fs::symlink_status(name)))
      return name;
}

}  // namespace

RunDirectory::RunDirectory(const Comm& comm, const DirectoryOptions& options)
    : path_(options.path) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  on_root(comm, path_, [&] {
    try {
      prepare(options, comm.size());
    } catch (...) {
      if (lease_) lease_->undo();
      throw;
    }
  });
  moved_to_ = comm.broadcast(moved_to_);
  incarnation_ = comm.max(lease_ ? lease_->incarnation() : 0);
}

void RunDirectory::prepare(const DirectoryOptions& options, int n_ranks) {
  refuse_foreign(path_);
  fs::create_directories(path_);
  lease_ = std::make_unique<jobs::Lease>(path_);
  if (!is_empty(path_)) {
    const bool finished = refuse_unfinished(path_, options);
    if (finished && !options.overwrite) {
      moved_to_ = next_free_name(path_);
      lease_.reset();
      fs::rename(path_, moved_to_);
      fs::create_directories(path_);
      lease_ = std::make_unique<jobs::Lease>(path_);
    } else {
      for (const char* name :
           {"results.hdf", "report.json", "report.html", "case.yaml", "history.csv", status_name})
        fs::remove(fs::path(path_) / name);
    }
  }
  jobs::Status first;
  first.ranks = n_ranks;
  first.incarnation = lease_->incarnation();
  status_ = std::make_unique<jobs::StatusFile>(path_, first);
  heartbeat_ = std::make_unique<jobs::Periodic>(jobs::heartbeat, [this] {
    lease_->beat();
    status_->refresh();
  });
}

void check_directory(const Comm& comm, const DirectoryOptions& options) {
  on_root(comm, options.path, [&] {
    refuse_foreign(options.path);
    if (fs::exists(options.path) && !is_empty(options.path))
      refuse_unfinished(options.path, options);
    refuse_unwritable(options.path);
  });
}

}  // namespace trestle::app
