// RunControl: what a run tells the outside of itself, and hears from it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/console.hpp"
#include "app/state/run_directory.hpp"
#include "core/comm.hpp"
#include "io/case/case.hpp"
#include "io/report/report.hpp"
#include "jobs/stop/departure.hpp"
#include "jobs/stop/monitor.hpp"

namespace trestle::app {

class RunControl {
 public:
  /// What the run tells of itself; outlives it.
  struct Parts {
    const RunDirectory& directory;
    Console& console;
    io::Report& report;
  };
  /// Throws Error 64 or 69 where the notices that the case asks for cannot be had. Collective.
  RunControl(const Comm& comm, const io::Case& c, const Parts& parts);
  /// For work that is nobody's run, such as a study of a case: it stops like one.
  explicit RunControl(const Comm& comm);
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;
  ~RunControl();

  /// The run comes to a phase, such as "mesh" (a literal): the status tells it, and a run that was
  /// asked to stop ends here. Throws Stopped(85). Collective.
  void enter(const char* phase);
  /// A step was accepted. Local.
  void step(std::int64_t number, double time, double end);
  /// The run was saved because it is to stop: a cloud that has given notice need not wait. Local.
  void saved();
  /// What a stop would lose now: where that is nothing, one that work cannot hear is obeyed too.
  /// Local.
  void set_loss(jobs::Loss loss);
  /// What a save takes now [s]. Local.
  void set_save(double seconds);
  /// The run has come to its end. Collective.
  void close();

  jobs::StopMonitor& stop() { return stop_; }
  /// Null where there is none.
  const RunDirectory* directory() const { return parts_ ? &parts_->directory : nullptr; }

 private:
  struct Watches;
  void tell_warnings();
  std::optional<Parts> parts_;
  int rank_;
  jobs::StopMonitor stop_;
  std::unique_ptr<Watches> watches_;
  std::optional<std::chrono::steady_clock::time_point> last_step_;
};

}  // namespace trestle::app
