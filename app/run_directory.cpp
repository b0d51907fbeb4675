#include "app/run_directory.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/host_name.hpp"

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
  comm.agree([&] {
    if (!comm.is_root()) return;
    try {
      prepare(options);
    } catch (const fs::filesystem_error& e) {
      throw io::file_error("make the run directory", path_, e.code().value(),
                           ExitCode::cannot_create);
    }
  });
  moved_to_ = comm.broadcast(moved_to_);
}

void RunDirectory::prepare(const DirectoryOptions& options) {
  if (fs::exists(path_) && !fs::is_directory(path_))
    throw Error(ExitCode::cannot_create,
                fmt::format("{} is no directory; choose another with --output", path_));
  fs::create_directories(path_);
  const std::string state = is_empty(path_) ? "" : former_state(path_);
  if (!is_empty(path_)) {
    if (state.empty())
      throw Error(
          ExitCode::cannot_create,
          fmt::format("{} holds files that are not of a Trestle run; choose another directory with "
                      "--output, or empty this one",
                      path_));
  }
  lock();
  if (!is_empty(path_)) {
    const bool finished = state == "completed" || state == "failed";
    if (!finished && !options.overwrite && !options.restart)
      throw Error(
          ExitCode::cannot_create,
          fmt::format(
              "{} holds a run that did not finish; --restart auto does it again, --overwrite "
              "starts anew, --output takes another directory",
              path_));
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

void write_status(const std::string& directory, const std::string& state, ExitCode code,
                  const std::string& message) {
  const nlohmann::json status{
      {"schema", 1},
      {"state", state},
      {"exit_code", static_cast<int>(code)},
      {"message", message},
      {"host", host_name()},
      {"pid", getpid()},
      {"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
  io::write_text_file(directory + "/" + status_name,
                      status.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace trestle::app
