#include "app/run_command.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "app/console.hpp"
#include "app/device_choice.hpp"
#include "app/evaluate.hpp"
#include "app/make_mesh.hpp"
#include "app/measure.hpp"
#include "app/run_directory.hpp"
#include "app/simulate.hpp"
#include "io/case.hpp"
#include "io/report.hpp"
#include "io/version.hpp"

namespace trestle::app {
namespace {

using Clock = std::chrono::steady_clock;

std::string& directory_in_use() {
  static std::string path;  // one run per process, read when the process fails
  return path;
}

std::string output_directory(const io::Case& c, const RunArguments& arguments) {
  if (arguments.output) return *arguments.output;
  return c.output.directory.empty() ? "results/" + c.name : c.output.directory;
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

/// Rank 0 writes report and status. Local.
void finish(const Comm& comm, const std::string& directory, io::Report& report,
            Clock::time_point start) {
  report.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  if (!comm.is_root()) return;
  if (!report.places.empty()) report.device = report.places.front().device;
  io::write_report(report, directory);
  write_status(directory, report.status, static_cast<ExitCode>(report.exit_code), report.message);
}

void check_restart(const RunArguments& arguments) {
  if (arguments.restart != "auto" && arguments.restart != "never" && !arguments.restart.empty())
    throw Error(
        ExitCode::no_checkpoint,
        fmt::format("--restart {}: a static analysis has no checkpoints; --restart auto does an "
                    "unfinished run again",
                    arguments.restart));
}

}  // namespace

const std::string& active_directory() { return directory_in_use(); }

ExitCode run_case(const Comm& comm, const RunArguments& arguments) {
  const auto start = Clock::now();
  check_restart(arguments);
  const io::Case c = io::read_case(comm, arguments.case_path, arguments.overrides);
  Console console(comm);
  console.line(fmt::format("Trestle {}: {}", io::version, c.title.empty() ? c.file : c.title));
  for (const std::string& warning : c.warnings) console.warning(warning);
  const RunDirectory directory(
      comm, {output_directory(c, arguments), arguments.overwrite, arguments.restart == "auto"});
  directory_in_use() = directory.path();
  if (!directory.moved_to().empty())
    console.line("the former run was moved to " + directory.moved_to());
  comm.agree([&] {
    if (comm.is_root()) io::write_text_file(directory.path() + "/case.yaml", c.resolved);
  });

  io::Report report = begin_report(c, comm);
  try {
    const bool met = simulate(c, comm, directory.path(), console, report);
    report.status = "completed";
    report.exit_code = static_cast<int>(met ? ExitCode::done : ExitCode::expectation);
    if (!met) report.message = "an expectation of the case was missed";
  } catch (const Error& e) {
    report.exit_code = static_cast<int>(e.code());
    report.message = e.what();
    finish(comm, directory.path(), report, start);
    throw;
  }
  comm.agree([&] { finish(comm, directory.path(), report, start); });
  console.line(io::report_table(report));
  console.line("results: " + std::filesystem::absolute(directory.path()).string());
  return static_cast<ExitCode>(report.exit_code);
}

ExitCode check_case(const Comm& comm, const RunArguments& arguments) {
  const io::Case c = io::read_case(comm, arguments.case_path, arguments.overrides);
  Console console(comm);
  for (const std::string& warning : c.warnings) console.warning(warning);
  io::Report report;
  const auto mesh = make_mesh(comm, c.mesh);
  describe_mesh(*mesh, console, report);
  const physics::Analysis analysis(gpu::make_cpu_device(), mesh, c.problem);
  check_outputs(c, analysis);
  analysis.check_supports();
  for (std::size_t i = 0; i < analysis.n_cases(); ++i) analysis.right_side(i);  // loads are finite
  describe_analysis(analysis, console, report);
  warn(outside_probes(c, analysis), console, report);
  console.line(fmt::format("{}: the case is sound; it would write to {}", c.file,
                           output_directory(c, arguments)));
  return ExitCode::done;
}

}  // namespace trestle::app
