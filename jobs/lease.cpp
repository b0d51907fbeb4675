#include "jobs/lease.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <thread>

#include "jobs/process_id.hpp"
#include "jobs/utc_time.hpp"

namespace trestle::jobs {
namespace {

constexpr const char* file_name = "lease.json";
// Every text of a lease has this length, so that one overwrites the other in one block.
constexpr std::size_t length = 1024;

std::string read_start(int fd) {
  char text[length + 1];
  const ssize_t n = pread(fd, text, sizeof text, 0);
  return n > 0 ? std::string(text, static_cast<std::size_t>(n)) : "";
}

nlohmann::json parsed(const std::string& text) {
  auto json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() ? json : nlohmann::json::object();
}

int count_in(const nlohmann::json& lease, const char* name) {
  const auto found = lease.find(name);
  if (found == lease.end() || !found->is_number_integer()) return 0;
  constexpr long long most = 1'000'000'000;  // a file may say anything
  return static_cast<int>(std::clamp(found->get<long long>(), 0LL, most));
}

[[noreturn]] void refuse_busy(const std::string& path, const nlohmann::json& lease) {
  const ProcessId holder = process_from(lease);
  throw Error(
      ExitCode::busy,
      fmt::format("{} is in use by another run (process {} on {}, incarnation {}); wait for "
                  "it, or choose another directory with --output",
                  io::folder_of(path), holder.pid, holder.host, count_in(lease, "incarnation")));
}

}  // namespace

Lease::Lease(const std::string& directory, std::chrono::milliseconds beat)
    : path_(directory + "/" + file_name) {
  file_ = io::FileDescriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640));
  if (!file_) throw io::file_error("create", path_, errno, ExitCode::cannot_create);
  lock();
  former_ = read_start(file_.number());
  try {
    take(beat);
  } catch (...) {
    file_.close();
    throw;
  }
}

Lease::~Lease() {
  if (!file_) return;
  const std::lock_guard guard(mutex_);
  try {
    if (is_held()) write(text(true));
  } catch (const std::exception&) {  // a dead process's lease is as free
  }
}

/// One process of this machine at a time; file systems without locks rely on the text alone.
void Lease::lock() {
  if (flock(file_.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  refuse_busy(path_, parsed(read_start(file_.number())));
}

void Lease::take(std::chrono::milliseconds beat) {
  const nlohmann::json lease = parsed(former_);
  incarnation_ = count_in(lease, "incarnation") + 1;
  const bool is_free = former_.empty() || lease.value("released", nlohmann::json(false)) == true;
  const Liveness holder = liveness(process_from(lease));
  if (!is_free && holder == Liveness::alive) refuse_busy(path_, lease);
  if (!is_free && holder == Liveness::unknown) {
    const auto end = std::chrono::steady_clock::now() + missed_beats * beat;
    while (std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(beat / 25);
      const std::string now = read_start(file_.number());
      if (now != former_) refuse_busy(path_, parsed(now));
    }
  }
  write(text(false));
  if (holder != Liveness::unknown) return;
  // Where two machines took it in the same moment, the later one has it.
  if (!is_free) std::this_thread::sleep_for(beat / 5);
  if (!is_held()) refuse_busy(path_, parsed(read_start(file_.number())));
}

std::string Lease::text(bool released) const {
  nlohmann::json lease = to_json(this_process());
  lease["schema"] = 1;
  lease["incarnation"] = incarnation_;
  lease["beats"] = beats_;
  lease["updated"] = utc_now();
  lease["released"] = released;
  std::string text = lease.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.resize(std::max(text.size() + 1, length - 1), ' ');
  return text + "\n";
}

void Lease::write(const std::string& bytes) {
  try {
    io::write_surely(file_.number(), std::as_bytes(std::span(bytes)), 0, path_);
  } catch (const SystemError&) {
    throw io::file_error("write", path_, errno, ExitCode::cannot_create);
  }
}

/// By the name, not by the open file: the directory may have been replaced.
bool Lease::is_held() {
  const io::FileDescriptor now(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!now) throw io::file_error("read", path_, errno, ExitCode::io);
  const nlohmann::json lease = parsed(read_start(now.number()));
  return process_from(lease) == this_process() && count_in(lease, "incarnation") == incarnation_;
}

void Lease::beat() noexcept {
  try {
    const std::lock_guard guard(mutex_);
    if (!is_held()) return;
    ++beats_;
    write(text(false));
  } catch (const std::exception&) {  // a full or a lost disk: `require_held` tells
  }
}

void Lease::require_held() {
  const std::lock_guard guard(mutex_);
  if (!is_held()) refuse_busy(path_, parsed(read_start(file_.number())));
}

void Lease::undo() noexcept {
  const std::lock_guard guard(mutex_);
  try {
    if (is_held()) write(former_);
    if (ftruncate(file_.number(), static_cast<off_t>(former_.size())) != 0) return;
  } catch (const std::exception&) {  // then it is the lease of a dead process
  }
  file_.close();
}

int last_incarnation(const std::string& directory) {
  const io::FileDescriptor file(
      open((directory + "/" + file_name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return file ? count_in(parsed(read_start(file.number())), "incarnation") : 0;
}

}  // namespace trestle::jobs
