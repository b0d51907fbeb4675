#include "jobs/batch/runner.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include "io/escape.hpp"
#include "jobs/process.hpp"
#include "jobs/slurm/requeue.hpp"

namespace trestle::jobs {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<int> stop_requests{0};  // written by the handler, which can reach nothing else
std::atomic<bool> must_end{false};  // by TERM, whose sender does not wait long
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void on_signal(int signal) {
  if (signal == SIGTERM) must_end = true;
  stop_requests.fetch_add(1);
}

/// Catches the signals that ask to stop, for its life.
class StopSignals {
 public:
  StopSignals() {
    stop_requests = 0;
    must_end = false;
    struct sigaction action {};
    action.sa_handler = on_signal;
    for (std::size_t i = 0; i < std::size(signals); ++i)
      sigaction(signals[i], &action, &former_[i]);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals() {
    for (std::size_t i = 0; i < std::size(signals); ++i)
      sigaction(signals[i], &former_[i], nullptr);
  }

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGUSR1};
  struct sigaction former_[3]{};
};

std::vector<std::string> words_of(const BatchJob& job, const BatchRunOptions& options) {
  std::vector<std::string> words;
  if (job.ranks > 1) {
    words = options.launcher;
    words.insert(words.end(), {"-n", std::to_string(job.ranks)});
  }
  words.insert(words.end(), {options.program, "run", job.case_file, "--output", job.directory});
  if (options.overwrite)
    words.emplace_back("--overwrite");
  else
    words.insert(words.end(), {"--restart", "auto"});
  for (const std::string& value : job.overrides) words.insert(words.end(), {"--set", value});
  return words;
}

/// The last line of a log that tells of an error, for runs that left no status.
std::string last_error(const std::string& log, std::streamoff from) {
  std::ifstream file(log);
  file.seekg(from);
  std::string found;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("error")) found = line.substr(line.find(':') + 1);
  found.erase(0, found.find_first_not_of(' '));
  return found;
}

std::streamoff size_of(const std::string& path) {
  std::ifstream file(path, std::ios::ate);
  return file ? std::max<std::streamoff>(file.tellg(), 0) : 0;
}

struct Started {
  std::size_t job = 0;
  std::string seen;         // the stamp of the status before
  std::streamoff log_size;  // before
};

class Runner {
 public:
  Runner(Batch& batch, const BatchRunOptions& options) : batch_(batch), options_(options) {}

  void run(const std::vector<std::size_t>& wanted) {
    std::size_t next = 0;
    while (next < wanted.size() || !at_work_.empty()) {
      const bool room = static_cast<int>(at_work_.size()) < options_.at_once;
      if (next < wanted.size() && room && stop_requests == 0) {
        start(wanted[next++]);
        continue;
      }
      if (at_work_.empty()) return;
      wait_for_one();
    }
  }

 private:
  std::string log_of(const BatchJob& job) const { return job.directory + ".log"; }

  void start(std::size_t index) {
    BatchJob& job = batch_.jobs[index];
    const Started started{index, status_stamp(job.directory), size_of(log_of(job))};
    options_.tell(fmt::format("{}: start", job.name));
    try {
      at_work_[start_process(words_of(job, options_), log_of(job))] = started;
    } catch (const Error& error) {
      note(started, static_cast<int>(error.code()), error.what());
    }
  }

  void wait_for_one() {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) {
      if (stop_requests > passed_on_) pass_on_stop();
      if (deadline_ && Clock::now() > *deadline_) kill_what_is_left();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return;
    }
    const auto found = at_work_.find(pid);
    if (found == at_work_.end()) return;
    const Started started = found->second;
    at_work_.erase(found);
    const BatchJob& job = batch_.jobs[started.job];
    note(started, exit_code_of_wait(status), last_error(log_of(job), started.log_size));
  }

  /// The status of the run tells how it ended; where there is none, the code does.
  void note(const Started& started, int code, const std::string& error) {
    BatchJob& job = batch_.jobs[started.job];
    const std::string stamp = status_stamp(job.directory);
    const RunState told = read_run_state(job.directory);
    const bool ended = stamp != started.seen && told.kind != RunState::Kind::running &&
                       told.kind != RunState::Kind::missing;
    job.noted.reset();
    if (!ended || told.code != code) {
      constexpr int bug = static_cast<int>(ExitCode::bug);
      RunState state{RunState::Kind::failed, code != 0 ? code : bug, error};
      if (state.message.empty())
        state.message = code == 0 ? "the run ended and left no status" : "see the log";
      job.noted = state;
      job.noted_stamp = stamp;
    }
    write_batch(batch_);
    const RunState state = state_of_job(job);
    options_.tell(fmt::format("{}: {}{}", job.name, state_word(state),
                              state.ok() ? "" : fmt::format(" ({})", state.code)));
  }

  void pass_on_stop() {
    const int signal = stop_requests > 1 ? SIGTERM : SIGUSR1;
    if (passed_on_ == 0) options_.tell("stopping: the jobs at work are asked to save and end");
    for (const auto& [pid, started] : at_work_) kill(pid, signal);
    passed_on_ = stop_requests;
    if (!deadline_ && (must_end || passed_on_ > 1)) deadline_ = Clock::now() + options_.patience;
  }

  /// Launchers that do not listen, with what is in their groups; their ranks end with them.
  void kill_what_is_left() {
    options_.tell(fmt::format("killing {} jobs, which did not end within {} s", at_work_.size(),
                              std::chrono::duration<double>(options_.patience).count()));
    for (const auto& [pid, started] : at_work_) kill(-pid, SIGKILL);
    deadline_.reset();
  }

  Batch& batch_;
  const BatchRunOptions& options_;
  std::map<pid_t, Started> at_work_;
  int passed_on_ = 0;                          // stop requests that the jobs at work were told of
  std::optional<Clock::time_point> deadline_;  // of the jobs at work
};

}  // namespace

void run_jobs(Batch& batch, const std::vector<std::size_t>& wanted,
              const BatchRunOptions& options) {
  const StopSignals signals;
  Runner(batch, options).run(wanted);
}

}  // namespace trestle::jobs
