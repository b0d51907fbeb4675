#include "jobs/status.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/host_name.hpp"
#include "io/files.hpp"
#include "jobs/stop/request.hpp"
#include "jobs/utc_time.hpp"

namespace trestle::jobs {
namespace {

constexpr const char* file_name = "status.json";
constexpr std::size_t most_bytes = 1 << 20;

std::string dumped(const nlohmann::json& status) {
  return status.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

nlohmann::json as_json(const Status& status) {
  nlohmann::json json{{"schema", 1},
                      {"state", status.state},
                      {"exit_code", static_cast<int>(status.exit_code)},
                      {"message", status.message},
                      {"phase", status.phase},
                      {"step", status.step},
                      {"incarnation", status.incarnation},
                      {"ranks", status.ranks},
                      {"running_s", status.running_s},
                      {"host", host_name()},
                      {"pid", getpid()},
                      {"started", status.started},
                      {"updated", utc_now()}};
  const auto add = [&](const char* name, const std::optional<double>& value) {
    json[name] = value ? nlohmann::json(*value) : nlohmann::json();
  };
  add("time", status.time);
  add("end", status.end);
  add("eta_s", status.eta_s);
  json["checkpoint"] = nullptr;
  if (status.checkpoint)
    json["checkpoint"] = {{"path", status.checkpoint->path},
                          {"step", status.checkpoint->step},
                          {"time", status.checkpoint->time},
                          {"written", status.checkpoint->written}};
  return json;
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

void write_json(const std::string& directory, nlohmann::json status) {
  const std::string path = directory + "/" + file_name;
  try {
    io::write_text_file(path, dumped(status));
  } catch (const SystemError&) {
    constexpr std::size_t short_enough = 500;  // for the block that the former text has
    status["message"] = status["message"].get<std::string>().substr(0, short_enough);
    if (!overwrite_in_place(path, dumped(status))) throw;
  }
}

/// Nothing where the file is missing, damaged, or too large to be a status.
nlohmann::json read_json(const std::string& directory) {
  const std::string path = directory + "/" + file_name;
  if (!std::filesystem::exists(path)) return {};
  std::string text;
  try {
    text = io::read_text_file(path, most_bytes);
  } catch (const Error& e) {
    if (e.code() != ExitCode::mesh) throw;
  }
  auto status = nlohmann::json::parse(text, nullptr, false);
  return status.is_object() ? status : nlohmann::json();
}

std::string state_in(const nlohmann::json& status) {
  const auto state = status.find("state");
  return status.is_object() && state != status.end() && state->is_string()
             ? state->get<std::string>()
             : "";
}

}  // namespace

std::string status_text(const Status& status) { return dumped(as_json(status)); }

void write_status(const std::string& directory, const Status& status) {
  write_json(directory, as_json(status));
}

void note_failure(const std::string& directory, ExitCode code, const std::string& message) {
  nlohmann::json status = read_json(directory);
  if (!status.is_object()) status = as_json({});
  status["state"] = is_stop(code) ? "stopped" : "failed";
  status["exit_code"] = static_cast<int>(code);
  status["message"] = message;
  status["updated"] = utc_now();
  write_json(directory, std::move(status));
}

std::string state_of(const std::string& directory) { return state_in(read_json(directory)); }

FormerProgress progress_of(const std::string& directory) {
  const nlohmann::json status = read_json(directory);
  FormerProgress progress;
  if (!status.is_object()) return progress;
  const auto number = [](const nlohmann::json& from, const char* name) {
    const auto found = from.find(name);
    return found != from.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  const auto word = [](const nlohmann::json& from, const char* name) {
    const auto found = from.find(name);
    return found != from.end() && found->is_string() ? found->get<std::string>() : "";
  };
  constexpr double most = 1e15;  // a file may say anything
  const auto whole = [&](const nlohmann::json& from, const char* name) {
    return static_cast<std::int64_t>(std::clamp(number(from, name), 0.0, most));
  };
  progress.incarnation = whole(status, "incarnation");
  progress.running_s = std::clamp(number(status, "running_s"), 0.0, most);
  progress.step = whole(status, "step");
  progress.exit_code = whole(status, "exit_code");
  progress.message = word(status, "message");
  if (const auto saved = status.find("checkpoint"); saved != status.end() && saved->is_object())
    progress.checkpoint = {word(*saved, "path"), whole(*saved, "step"), number(*saved, "time"),
                           word(*saved, "written")};
  return progress;
}

StatusFile::StatusFile(std::string directory, Status first)
    : directory_(std::move(directory)), status_(std::move(first)), ended_(false) {
  status_.started = utc_now();
  write_status(directory_, status_);
}

void StatusFile::enter(const std::string& phase) noexcept {
  {
    const std::lock_guard guard(mutex_);
    status_.phase = phase;
  }
  refresh();
}

void StatusFile::step(std::int64_t step, double time, double end) {
  const std::lock_guard guard(mutex_);
  status_.step = step;
  status_.time = time;
  status_.end = end;
  estimate(time, end);
}

/// As fast to the end as from the first step of this incarnation to now.
void StatusFile::estimate(double time, double end) {
  const auto now = Clock::now();
  if (!first_at_) {
    first_at_ = now;
    first_time_ = time;
  }
  const double gone = std::chrono::duration<double>(now - *first_at_).count();
  if (time > first_time_) status_.eta_s = gone * (end - time) / (time - first_time_);
}

void StatusFile::saved(const SavedState& checkpoint) noexcept {
  {
    const std::lock_guard guard(mutex_);
    status_.checkpoint = checkpoint;
  }
  refresh();
}

void StatusFile::refresh() noexcept {
  const std::lock_guard guard(mutex_);
  if (ended_) return;
  try {
    if (const std::string state = state_of(directory_); state == "failed" || state == "stopped")
      ended_ = true;
    else
      write();
  } catch (const std::exception&) {  // what a run tells of itself must not end it
  }
}

void StatusFile::finish(const std::string& state, ExitCode code, const std::string& message) {
  const std::lock_guard guard(mutex_);
  if (directory_.empty()) return;
  ended_ = true;
  status_.state = state;
  status_.exit_code = code;
  status_.message = message;
  if (state == "completed") status_.eta_s = 0;
  write();
}

void StatusFile::write() {
  status_.running_s = std::chrono::duration<double>(Clock::now() - begin_).count();
  write_status(directory_, status_);
}

Status StatusFile::status() const {
  const std::lock_guard guard(mutex_);
  return status_;
}

}  // namespace trestle::jobs
