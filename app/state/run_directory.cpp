#include "app/state/run_directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "core/host_name.hpp"
#include "io/checkpoint/store.hpp"
#include "io/files.hpp"
#include "io/roots.hpp"
#include "jobs/utc_time.hpp"

namespace trestle::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* status_name = "status.json";
constexpr const char* lease_name = "lease.json";

/// Without what a run writes first, which may have been killed meanwhile, and the count of starts
/// that did not come so far.
bool is_empty(const fs::path& path) {
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (name != lease_name && name != "incarnations.json" && name != "STOP" &&
        !name.starts_with(std::string(status_name) + ".tmp."))
      return false;
  }
  return true;
}

/// Whether a checkpoint in `folder` has a manifest that is right by itself.
bool has_checkpoint(const std::string& folder) {
  for (const io::CheckpointEntry& entry : io::list_checkpoints(folder)) {
    const std::string manifest = folder + "/" + entry.name + "/" + io::manifest_name;
    try {
      if (!entry.committed) continue;
      io::parse_manifest(io::read_text_file(manifest, io::manifest_limit), manifest);
      return true;
    } catch (const Error&) {  // another one may be whole
    }
  }
  return false;
}

constexpr const char* unknown = "unknown";

/// As jobs::state_of; "unknown" where the status is damaged or missing, and other files are those
/// of a run.
std::string state_of_run(const std::string& path) {
  std::string state = jobs::state_of(path);
  return state.empty() && holds_run(path) ? unknown : state;
}

/// Throws where `path` may not or cannot be a run directory.
void refuse_foreign(const std::string& path) {
  io::require_in_roots(path);
  if (!fs::exists(path)) return;
  if (!fs::is_directory(path))
    throw Error(ExitCode::cannot_create,
                fmt::format("{} is no directory; choose another with --output", path));
  if (!is_empty(path) && state_of_run(path).empty())
    throw Error(
        ExitCode::cannot_create,
        fmt::format("{} holds files that are not of a Trestle run; choose another directory with "
                    "--output, or empty this one",
                    path));
}

/// Throws Error(77) for a folder of checkpoints that is a link: nothing is written through one.
void refuse_link(const std::string& folder) {
  io::require_in_roots(folder);
  if (fs::is_symlink(fs::symlink_status(folder)))
    throw io::file_error("go on in", folder, ELOOP, ExitCode::permission);
}

/// Whether the run in `path` has finished; throws where it has not and `options` do not allow that.
bool refuse_unfinished(const std::string& path, const DirectoryOptions& options) {
  const std::string state = state_of_run(path);
  const bool finished = state == "completed" || state == "failed";
  if (!finished && !options.overwrite && !options.restart)
    throw Error(ExitCode::cannot_create,
                fmt::format("{} holds a run {}; --restart auto goes on with it, --overwrite starts "
                            "anew, --output takes another directory",
                            path,
                            state == unknown ? "whose status.json is damaged or missing"
                                             : "that did not finish"));
  return finished;
}

/// Throws where no folder can be made at `path`: in it, or in the nearest folder above it that
/// exists. Makes one there, and takes it away again: some file systems, as /proc, refuse what their
/// permissions allow.
void refuse_unwritable(const std::string& path) {
  fs::path place = fs::absolute(path);
  while (!fs::exists(place) && place.has_relative_path()) place = place.parent_path();
  if (!fs::is_directory(place))
    throw io::file_error("make the run directory", path, ENOTDIR, ExitCode::cannot_create);
  const fs::path trial = place / fmt::format(".trestle-check.{}", getpid());
  if (mkdir(trial.c_str(), 0700) != 0)
    throw SystemError(
        io::exit_code_of(errno, ExitCode::cannot_create),
        fmt::format("cannot make the run directory {}: {} takes no new folder ({}); choose another "
                    "place with --output or output.directory",
                    path, place.string(), std::generic_category().message(errno)));
  rmdir(trial.c_str());
}

/// Runs `work` on rank 0; what the file system refuses is told as a fault of `path`, and every
/// fault with the place in the case that names the directory.
void on_root(const Comm& comm, const std::string& path, const SourcePosition& where,
             const std::function<void()>& work) {
  const auto told = [&](const Error& e) {
    return where.file.empty()
               ? Error(e)
               : Error(e.code(), with_place(where, std::string("output.directory: ") + e.what()));
  };
  comm.agree([&] {
    if (!comm.is_root()) return;
    try {
      work();
    } catch (const fs::filesystem_error& e) {
      throw told(io::file_error("make the run directory", path, e.code().value(),
                                ExitCode::cannot_create));
    } catch (const Error& e) {
      throw told(e);
    }
  });
}

std::string next_free_name(const std::string& path) {
  for (int n = 1;; ++n)
    if (const std::string name = fmt::format("{}.{}", path, n);
        !fs::exists(fs::symlink_status(name)))
      return name;
}

/// The lease of a directory. A run that is taken up may have been killed this moment: its processes
/// get some seconds to end.
std::unique_ptr<jobs::Lease> take_lease(const std::string& path, bool waits) {
  constexpr std::chrono::seconds longest{15};
  const auto end = std::chrono::steady_clock::now() + longest;
  for (;;) {
    try {
      return std::make_unique<jobs::Lease>(path);
    } catch (const Error& e) {
      if (!waits || e.code() != ExitCode::busy || std::chrono::steady_clock::now() > end) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

/// Files that runs write into their directory.
constexpr std::array files_of_a_run{"results.hdf", "report.json", "report.html",      "case.yaml",
                                    "history.csv", "steps.csv",   "incarnations.json"};

bool is_part_of_results(const std::string& name) {
  return name.starts_with("results.") && (name.ends_with(".hdf") || name.ends_with(".hdf.new"));
}

void remove_run(const std::string& path) {
  for (const char* name : files_of_a_run) fs::remove(fs::path(path) / name);
  std::vector<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(path))
    if (is_part_of_results(entry.path().filename().string())) parts.push_back(entry.path());
  for (const fs::path& part : parts) fs::remove(part);
  fs::remove_all(fs::path(path) / "ckpt");
}

}  // namespace

void require_readable_run(const std::string& path) {
  for (const std::string& folder : {path, path + "/ckpt"}) {
    io::require_in_roots(folder);
    io::require_readable_folder(folder);
  }
}

bool holds_run(const std::string& path) {
  if (!jobs::state_of(path).empty() || has_checkpoint(path + "/ckpt")) return true;
  // What a run leaves first: of both, so that one file of this name makes nobody's folder ours.
  return jobs::last_incarnation(path) > 0 && jobs::Incarnations(path).last_number() > 0;
}

RunDirectory::RunDirectory(const Comm& comm, const DirectoryOptions& options)
    : comm_(comm), path_(options.path) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  on_root(comm, path_, options.where, [&] {
    try {
      prepare(options);
    } catch (...) {
      if (lease_) lease_->undo();
      throw;
    }
  });
  moved_to_ = comm.broadcast(moved_to_);
  warning_ = comm.broadcast(warning_);
  incarnation_ = comm.max(incarnation_);
  takes_up_ = comm.any(takes_up_);
}

void RunDirectory::prepare(const DirectoryOptions& options) {
  refuse_foreign(path_);
  if (!fs::exists(path_)) refuse_unwritable(path_);
  fs::create_directories(path_);
  lease_ = take_lease(path_, options.restart);
  if (!is_empty(path_)) {
    const bool finished = refuse_unfinished(path_, options);
    const bool has_status = !jobs::state_of(path_).empty();
    takes_up_ = options.restart && !options.overwrite &&
                (!finished || !io::list_checkpoints(checkpoints()).empty() ||
                 (jobs::state_of(path_) == "failed" && jobs::progress_of(path_).checkpoint));
    if (finished && !options.overwrite && !takes_up_) {
      moved_to_ = next_free_name(path_);
      lease_.reset();
      fs::rename(path_, moved_to_);
      fs::create_directories(path_);
      lease_ = std::make_unique<jobs::Lease>(path_);
    } else if (!takes_up_) {
      remove_run(path_);
      fs::remove(fs::path(path_) / status_name);
    }
    if (takes_up_) refuse_link(checkpoints());
    if (takes_up_ && !has_status)
      warning_ = fmt::format(
          "{}/{} is damaged or missing: its run is known by its other files, and goes on", path_,
          status_name);
  }
  begin_incarnation(options);
}

void RunDirectory::begin_incarnation(const DirectoryOptions& options) {
  incarnations_.emplace(path_);
  if (!options.from_elsewhere) {
    if (const std::string loop = incarnations_->loop(); !loop.empty()) {
      jobs::note_failure(path_, ExitCode::no_progress, loop);
      throw Error(ExitCode::no_progress, loop);
    }
  }
  incarnation_ = std::max({std::int64_t{lease_->incarnation()}, incarnations_->last_number() + 1,
                           io::last_incarnation(checkpoints()) + 1});
  jobs::Incarnation present;
  present.number = incarnation_;
  present.started = jobs::utc_now();
  present.host = host_name();
  present.ranks = comm_.size();
  incarnations_->begin(std::move(present));
  io::remove_leftovers(checkpoints());
  jobs::Status first;
  first.ranks = comm_.size();
  first.incarnation = static_cast<int>(incarnation_);
  if (takes_up_) {
    const jobs::FormerProgress former = jobs::progress_of(path_);
    had_checkpoint_ = former.checkpoint.has_value() || incarnations_->ever_saved();
    first.checkpoint = former.checkpoint;
    first.step = former.checkpoint ? former.checkpoint->step : 0;
  }
  status_ = std::make_unique<jobs::StatusFile>(path_, first);
  incarnations_->write();
  heartbeat_ = std::make_unique<jobs::Periodic>(jobs::heartbeat, [this] {
    lease_->beat();
    status_->refresh();
  });
}

void RunDirectory::clear() {
  on_root(comm_, path_, {}, [&] {
    remove_run(path_);
    incarnations_->write();
  });
}

void check_directory(const Comm& comm, const DirectoryOptions& options) {
  on_root(comm, options.path, options.where, [&] {
    refuse_foreign(options.path);
    if (fs::exists(options.path) && !is_empty(options.path))
      refuse_unfinished(options.path, options);
    refuse_unwritable(options.path);
  });
}

}  // namespace trestle::app
