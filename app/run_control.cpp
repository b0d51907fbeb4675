#include "app/run_control.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "jobs/deadline.hpp"
#include "jobs/stop_file.hpp"
#include "jobs/whereabouts.hpp"

namespace trestle::app {

/// What looks out for requests beside the run.
struct RunControl::Watches {
  std::optional<jobs::StopFile> file;      // rank 0
  std::optional<jobs::Deadline> deadline;  // rank 0
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

}  // namespace

RunControl::RunControl(const Comm& comm, const io::StopOptions& options,
                       const RunDirectory& directory)
    : directory_(&directory),
      stop_(comm, kill_wait_of(options)),
      watches_(std::make_unique<Watches>()) {
  if (!comm.is_root()) return;
  watches_->file.emplace(directory.path(), stop_.board());
  watches_->deadline.emplace(options.wall_time, stop_.board());
}

RunControl::RunControl(const Comm& comm) : stop_(comm, kill_wait_of({})) {}

RunControl::~RunControl() = default;

void RunControl::enter(const char* phase) {
  jobs::whereabouts().phase = phase;
  if (directory_ != nullptr) directory_->status().enter(phase);
  stop_.check();
}

void RunControl::step(std::int64_t number, double time, double end) {
  const auto now = std::chrono::steady_clock::now();
  if (last_step_ && watches_ && watches_->deadline)
    watches_->deadline->set_step(std::chrono::duration<double>(now - *last_step_).count());
  last_step_ = now;
  jobs::whereabouts().step = number;
  if (directory_ != nullptr) directory_->status().step(number, time, end);
}

}  // namespace trestle::app
