#include "app/commands/run_command.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "app/console.hpp"
#include "app/failure.hpp"
#include "app/measure.hpp"
#include "app/simulate.hpp"
#include "app/state/run_control.hpp"
#include "app/state/run_directory.hpp"
#include "io/case/case.hpp"
#include "io/report/report.hpp"
#include "io/version.hpp"

namespace trestle::app {
namespace {

using Clock = std::chrono::steady_clock;

std::string& directory_in_use() {
  static std::string path;  // one run per process, read when the process fails
  return path;
}

io::Report begin_report(const io::Case& c, const Comm& comm) {
  io::Report report;
  report.status = "failed";
  report.case_file = c.file;
  report.title = c.title;
  report.version = io::version;
  report.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  report.ranks = comm.size();
  report.device = c.run.device == io::DeviceChoice::debug ? "debug" : "cpu";
  report.precision = c.solver.precision == solver::Precision::double_ ? "double"
                     : c.solver.precision == solver::Precision::mixed ? "mixed"
                                                                      : "single";
  report.memory_kind = c.run.memory == gpu::Memory::unified ? "unified" : "device";
  report.warnings = c.warnings;
  return report;
}

/// Notes how this start of the run has ended. Rank 0.
void end_incarnation(RunDirectory& directory, const std::string& end, double wall_s) {
  jobs::Incarnation& present = directory.incarnations().present();
  present.end = end;
  present.wall_s = wall_s;
  directory.incarnations().write();
}

/// The starts of a run for its report; what an interrupted one did after its last checkpoint is
/// lost. Rank 0.
void record_starts(const RunDirectory& directory, io::Report& report) {
  report.starts.clear();
  for (const jobs::Incarnation& one : directory.incarnations().list()) {
    io::StartResult start{one.number,     one.started, one.from,    one.from_step,
                          one.saved_step, one.ranks,   one.n_saves, one.failed_saves,
                          one.wall_s,     one.setup_s, one.save_s};
    const bool present = &one == &directory.incarnations().list().back();
    start.end = one.end.empty() ? "interrupted" : one.end;
    if (one.end.empty() && !present)
      start.lost_s = one.wall_s - std::max(one.saved_wall_s, one.setup_s);
    start.lost_s = std::max(0.0, start.lost_s);
    if (one.bytes > 0) report.checkpoint_bytes = one.bytes;
    report.starts.push_back(std::move(start));
  }
}

/// How a run ends that came to its end.
void conclude(bool met, const std::string& unsaved_end, io::Report& report) {
  report.status = "completed";
  ExitCode code = ExitCode::done;
  if (!met) {
    code = ExitCode::expectation;
    report.message = "an expectation of the case was missed";
  } else if (!unsaved_end.empty()) {
    code = ExitCode::io;
    report.message = unsaved_end +
                     "; the results are whole, but a run to a later end would go on from an "
                     "earlier step: make room, and repeat the run with --restart auto";
  }
  report.exit_code = static_cast<int>(code);
}

/// Rank 0 writes report and status; where the report cannot be written the status says so. Local.
void finish(const Comm& comm, RunDirectory& directory, io::Report& report,
            Clock::time_point start) {
  report.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  if (!comm.is_root()) return;
  if (!report.places.empty()) report.device = report.places.front().device;
  try {
    const bool refused = jobs::is_refusal(static_cast<ExitCode>(report.exit_code));
    end_incarnation(directory, refused ? "refused" : report.status, report.wall_s);
    record_starts(directory, report);
    io::write_report(report, directory.path());
  } catch (const Error& e) {
    const bool first = report.exit_code == static_cast<int>(ExitCode::done);
    directory.status().finish("failed", first ? e.code() : static_cast<ExitCode>(report.exit_code),
                              report.message + (report.message.empty() ? "" : "; and ") + e.what());
    throw;
  }
  directory.status().finish(report.status, static_cast<ExitCode>(report.exit_code), report.message);
}

/// The checkpoint or run that the command line names, or "".
std::string named_restart(const RunArguments& arguments) {
  return arguments.restart == "auto" || arguments.restart == "never" ? "" : arguments.restart;
}

DirectoryOptions directory_options(const io::Case& c, const RunArguments& arguments) {
  const bool named = !named_restart(arguments).empty();
  const bool restart = named || arguments.restart == "auto";
  if (restart && arguments.overwrite)
    throw Error(ExitCode::usage,
                fmt::format("--restart {} goes on with a run, --overwrite begins anew: give one",
                            arguments.restart));
  return {output_directory(c, arguments), output_place(c, arguments), arguments.overwrite, restart,
          named};
}

/// Chooses the checkpoint to go on from; without one the directory is made ready for a beginning.
std::optional<Restart> prepare_restart(const Comm& comm, const io::Case& c, RunDirectory& directory,
                                       const RunArguments& arguments) {
  std::optional<Restart> restart = choose_restart(comm, c, directory, named_restart(arguments));
  if (!restart && directory.takes_up()) directory.clear();
  return restart;
}

}  // namespace

const std::string& active_directory() { return directory_in_use(); }

std::string output_directory(const io::Case& c, const RunArguments& arguments) {
  if (arguments.output) return *arguments.output;
  return c.output.directory.empty() ? "results/" + c.name : c.output.directory;
}

SourcePosition output_place(const io::Case& c, const RunArguments& arguments) {
  return arguments.output ? SourcePosition{} : c.output.where;
}

io::Case read_case(const Comm& comm, const RunArguments& arguments) {
  io::Case c = io::read_case(comm, arguments.case_path, arguments.overrides);
  c.run.strict = arguments.strict;
  if (c.run.strict && !c.warnings.empty()) throw CaseError(c.warnings);
  return c;
}

ExitCode run_case(const Comm& comm, const RunArguments& arguments) {
  const auto start = Clock::now();
  const io::Case c = read_case(comm, arguments);
  Console console(comm);
  console.line(fmt::format("Trestle {}: {}", io::version, c.title.empty() ? c.file : c.title));
  for (const std::string& warning : c.warnings) console.warning(warning);
  if (geteuid() == 0) console.line("note: running as root; what it writes will belong to root");
  RunDirectory directory(comm, directory_options(c, arguments));
  directory_in_use() = directory.path();
  if (!directory.moved_to().empty())
    console.line("the former run was moved to " + directory.moved_to());

  io::Report report = begin_report(c, comm);
  if (!directory.warning().empty()) warn({directory.warning()}, console, report);
  std::optional<Checkpointer> checkpoints;
  try {
    checkpoints.emplace(Checkpointer::Parts{comm, c, directory, console, report, start},
                        prepare_restart(comm, c, directory, arguments));
    comm.agree([&] {
      if (comm.is_root()) io::write_text_file(directory.path() + "/case.yaml", c.resolved);
    });
    RunControl control(comm, c, {directory, console, report});
    const bool met = simulate(c, comm, control, *checkpoints, console, report);
    conclude(met, checkpoints->unsaved_end(), report);
  } catch (...) {
    Failure failure = current_failure();
    const bool rescues = failure.code == ExitCode::gpu_fault && checkpoints;
    if (const std::string saved = rescues ? checkpoints->rescue() : ""; !saved.empty())
      failure.message += "; " + saved;
    if (jobs::is_stop(failure.code)) report.status = "stopped";
    report.exit_code = static_cast<int>(failure.code);
    report.message = failure.message;
    try {
      finish(comm, directory, report, start);
    } catch (const std::exception& e) {  // must not hide why the run failed
      console.warning(fmt::format("the report of this failed run is missing: {}", e.what()));
    }
    if (rescues) throw SystemError(failure.code, failure.message);
    throw;
  }
  comm.agree([&] { finish(comm, directory, report, start); });
  console.line(io::report_table(report));
  console.line("results: " + std::filesystem::absolute(directory.path()).string());
  return static_cast<ExitCode>(report.exit_code);
}

}  // namespace trestle::app
