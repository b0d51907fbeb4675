#include "app/state/run_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <thread>

#include "app/measure.hpp"
#include "core/fault.hpp"
#include "core/standard_streams.hpp"
#include "jobs/spot/watch.hpp"
#include "jobs/stop/deadline.hpp"
#include "jobs/stop/file.hpp"
#include "jobs/watch/watchdog.hpp"
#include "jobs/watch/whereabouts.hpp"

namespace trestle::app {

/// What looks out for requests beside the run.
struct RunControl::Watches {
  std::optional<jobs::StopFile> file;      // rank 0
  std::optional<jobs::Deadline> deadline;  // rank 0
  std::optional<jobs::SpotWatch> spot;     // the first rank of each machine
  std::optional<jobs::Watchdog> watchdog;
  std::optional<jobs::Departure> departure;
};

namespace {

/// What a process has between TERM and KILL [s].
double kill_wait_of(const io::StopOptions& options) {
  if (options.kill_wait >= 0) return options.kill_wait;
  constexpr double of_mpirun = 1, of_others = 10;
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return of_others;
  const char* told = std::getenv("OMPI_MCA_odls_base_sigkill_timeout");
  return told == nullptr ? of_mpirun : std::max(0.0, std::atof(told));
}

/// Notes the end of the run from a thread of any rank. Rank 0 may write its status at the very
/// moment: the others look whether theirs stands.
void note_end(const RunDirectory& directory, bool is_root, ExitCode code,
              const std::string& message) {
  constexpr std::chrono::milliseconds longest_write{300};
  try {
    if (is_root)
      return directory.status().finish(jobs::is_stop(code) ? "stopped" : "failed", code, message);
    jobs::note_failure(directory.path(), code, message);
    std::this_thread::sleep_for(longest_write);
    if (jobs::state_of(directory.path()) == "running")
      jobs::note_failure(directory.path(), code, message);
  } catch (const std::exception&) {  // the line on the terminal must do
  }
}

}  // namespace

RunControl::RunControl(const Comm& comm, const io::Case& c, const Parts& parts)
    : parts_(parts),
      rank_(comm.rank()),
      stop_(comm, kill_wait_of(c.stop)),
      watches_(std::make_unique<Watches>()) {
  comm.agree([&] {
    if (comm.local_rank() == 0) watches_->spot.emplace(c.stop.spot, stop_.board());
  });
  const auto note = [&directory = parts.directory, root = comm.is_root()](
                        ExitCode code, const std::string& message) {
    note_end(directory, root, code, message);
  };
  watches_->watchdog.emplace(
      comm, c.watchdog, [note](const std::string& message) { note(ExitCode::peer_lost, message); });
  watches_->departure.emplace(stop_.board(), note);
  if (!comm.is_root()) return;
  watches_->file.emplace(parts.directory.path(), stop_.board());
  watches_->deadline.emplace(c.stop.wall_time, stop_.board());
}

RunControl::RunControl(const Comm& comm) : rank_(comm.rank()), stop_(comm, kill_wait_of({})) {}

RunControl::~RunControl() = default;

void RunControl::enter(const char* phase) {
  jobs::whereabouts().phase = phase;
  if (parts_) parts_->directory.status().enter(phase);
  tell_warnings();
  stop_.check();
}

void RunControl::step(std::int64_t number, double time, double end) {
  const auto now = std::chrono::steady_clock::now();
  if (last_step_ && watches_ && watches_->deadline)
    watches_->deadline->set_step(std::chrono::duration<double>(now - *last_step_).count());
  last_step_ = now;
  if (fault_at("step") == Fault::fail) ++number;  // a rank that lost count
  jobs::whereabouts().step = number;
  jobs::whereabouts().state = std::bit_cast<std::uint64_t>(time);
  if (parts_) parts_->directory.status().step(number, time, end);
  tell_warnings();
}

void RunControl::close() {
  tell_warnings();
  if (watches_) watches_->watchdog.reset();
  if (watches_) watches_->departure.reset();
  stop_.close();
}

/// What watches beside the run may be on another rank than the one that prints.
void RunControl::tell_warnings() {
  for (const std::string& warning : stop_.board().warnings())
    if (parts_ && rank_ == 0)
      warn({warning}, parts_->console, parts_->report);
    else
      write_to(stderr, "warning on rank {}: {}\n", rank_, printable(warning));
}

void RunControl::saved() {
  if (watches_ && watches_->spot) watches_->spot->saved();
}

void RunControl::set_loss(jobs::Loss loss) {
  if (watches_ && watches_->departure) watches_->departure->set_loss(loss);
}

void RunControl::set_save(double seconds) {
  if (watches_ && watches_->deadline) watches_->deadline->set_save(seconds);
}

}  // namespace trestle::app
