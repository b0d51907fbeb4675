#include "app/run_directory.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/host_name.hpp"
#include "io/roots.hpp"

namespace trestle::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* status_name = "status.json";
constexpr const char* lease_name = "lease.json";
constexpr std::size_t status_limit = 1 << 20;

bool is_empty(const fs::path& path) {
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().filename() != lease_name) return false;
  return true;
}

/// "completed", "failed", "running", or "" where the directory is not ours.
std::string former_state(const std::string& path) {
  const std::string file = path + "/" + status_name;
  if (!fs::exists(file)) return "";
  const auto status = nlohmann::json::parse(io::read_text_file(file, status_limit), nullptr, false);
  return status.is_object() && status.contains("state") && status["state"].is_string()
             ? status["state"].get<std::string>()
             : "";
}

/// Throws where `path` may not or cannot be a run directory.
void refuse_foreign(const std::string& path) {
  io::require_in_roots(path);
  if (!fs::exists(path)) return;
  if (!fs::is_directory(path))
    throw Error(ExitCode::cannot_create,
                fmt::format("{} is no directory; choose another with --output", path));
  if (!is_empty(path) && former_state(path).empty())
    throw Error(
        ExitCode::cannot_create,
        fmt::format("{} holds files that are not of a Trestle run; choose another directory with "
                    "--output, or empty this one",
                    path));
}

/// Whether the run in `path` has finished; throws where it has not and `options` do not allow that.
bool refuse_unfinished(const std::string& path, const DirectoryOptions& options) {
  const std::string state = former_state(path);
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

std::string status_text(const std::string& state, ExitCode code, const std::string& message) {
  const nlohmann::json status{
      {"schema", 1},
      {"state", state},
      {"exit_code", static_cast<int>(code)},
      {"message", message},
      {"host", host_name()},
      {"pid", getpid()},
      {"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
  return status.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// Puts `text` over the bytes of a file that is there already, which needs no space on the disk
/// while it fits into the block of the former text. Returns whether that worked.
bool overwrite_in_place(const std::string& path, const std::string& text) {
  const io::FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  return file &&
         pwrite(file.number(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
         ftruncate(file.number(), static_cast<off_t>(text.size())) == 0 &&
         fsync(file.number()) == 0;
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
  on_root(comm, path_, [&] { prepare(options); });
  moved_to_ = comm.broadcast(moved_to_);
}

void RunDirectory::prepare(const DirectoryOptions& options) {
  refuse_foreign(path_);
  fs::create_directories(path_);
  lock();
  if (!is_empty(path_)) {
    const bool finished = refuse_unfinished(path_, options);
    if (finished && !options.overwrite) {
      moved_to_ = next_free_name(path_);
      lock_ = io::FileDescriptor();
      fs::rename(path_, moved_to_);
      fs::create_directories(path_);
      lock();
    } else {
      for (const char* name :
           {"results.hdf", "report.json", "report.html", "case.yaml", "history.csv", status_name})
        fs::remove(fs::path(path_) / name);
    }
  }
  write_status(path_, "running", ExitCode::done, "");
}

void RunDirectory::lock() {
  const std::string name = path_ + "/" + lease_name;
  lock_ = io::FileDescriptor(open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640));
  if (!lock_) throw io::file_error("create", name, errno, ExitCode::cannot_create);
  if (flock(lock_.number(), LOCK_EX | LOCK_NB) != 0) {
    char holder[512] = {};
    const ssize_t n = pread(lock_.number(), holder, sizeof holder - 1, 0);
    throw Error(
        ExitCode::busy,
        fmt::format("{} is in use by another run ({}); wait for it, or choose another directory "
                    "with --output",
                    path_, std::string(holder, static_cast<std::size_t>(std::max<ssize_t>(n, 0)))));
  }
  const std::string lease =
      nlohmann::json{{"host", host_name()}, {"pid", getpid()}, {"started", std::time(nullptr)}}
          .dump();
  if (ftruncate(lock_.number(), 0) != 0)
    throw io::file_error("write", name, errno, ExitCode::cannot_create);
  io::write_fully(lock_.number(), std::as_bytes(std::span(lease)), 0, name);
}

void check_directory(const Comm& comm, const DirectoryOptions& options) {
  on_root(comm, options.path, [&] {
    refuse_foreign(options.path);
    if (fs::exists(options.path) && !is_empty(options.path))
      refuse_unfinished(options.path, options);
    refuse_unwritable(options.path);
  });
}

void write_status(const std::string& directory, const std::string& state, ExitCode code,
                  const std::string& message) {
  const std::string path = directory + "/" + status_name;
  try {
    io::write_text_file(path, status_text(state, code, message));
  } catch (const SystemError&) {
    constexpr std::size_t short_enough = 500;  // for the block that the former text has
    if (!overwrite_in_place(path, status_text(state, code, message.substr(0, short_enough)))) throw;
  }
}

}  // namespace trestle::app
