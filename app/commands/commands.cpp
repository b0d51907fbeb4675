#include "app/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/bench/bench.hpp"
#include "app/commands/check_case.hpp"
#include "app/commands/command_words.hpp"
#include "app/commands/info.hpp"
#include "app/commands/job_commands.hpp"
#include "app/commands/mms.hpp"
#include "app/commands/plan.hpp"
#include "app/commands/results_commands.hpp"
#include "app/commands/run_command.hpp"
#include "app/commands/verify.hpp"
#include "core/number.hpp"
#include "core/standard_streams.hpp"
#include "core/units.hpp"
#include "io/case/case.hpp"
#include "io/case/faults.hpp"
#include "io/report/report.hpp"
#include "io/version.hpp"
#include "jobs/stop/signals.hpp"

namespace trestle::app {
namespace {

void print_on_root(const Comm& comm, const std::string& text) {
  if (comm.is_root()) write_to(stdout, "{}", text);
}

void add_overrides(CLI::App& command, std::vector<std::string>& overrides) {
  command
      .add_option("--set", overrides, "Override a key of the case, such as solver.precision=double")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void add_run(CLI::App& app, const Comm& comm, RunArguments& arguments, Action& action) {
  CLI::App* run = app.add_subcommand("run", "Run a case");
  CLI::App* check = app.add_subcommand(
      "check", "Read a case and its mesh and say what is wrong, without solving");
  for (CLI::App* command : {run, check}) {
    command->add_option("case", arguments.case_path, "The case file (YAML)")->required();
    add_overrides(*command, arguments.overrides);
    command->add_option("--output", arguments.output, "The run directory");
    command->add_flag(
        "--strict", arguments.strict,
        "Refuse what is not plausible, such as a Young's modulus of 210 Pa, a part of 80 m "
        "or a probe outside the mesh");
  }
  run->add_option("--restart", arguments.restart,
                  "auto: go on with a run that is in the directory; never; or the path of a "
                  "checkpoint or of another run");
  run->add_flag("--overwrite", arguments.overwrite, "Replace the run that is in the directory");
  run->callback([&] { action = [&] { return run_case(comm, arguments); }; });
  check->callback([&] { action = [&] { return check_case(comm, arguments); }; });
}

void add_plan(CLI::App& app, const Comm& comm, PlanArguments& arguments, Action& action) {
  CLI::App* command =
      app.add_subcommand("plan", "Say what memory a case needs on a number of ranks");
  command->add_option("case", arguments.run.case_path, "The case file (YAML)")->required();
  add_overrides(*command, arguments.run.overrides);
  command->add_option("--ranks", arguments.ranks, "Number of ranks")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  command->callback([&] { action = [&] { return plan(comm, arguments); }; });
}

void add_mms(CLI::App& app, const Comm& comm, MmsArguments& arguments, Action& action) {
  CLI::App* command = app.add_subcommand(
      "mms", "Refine a case with a known solution (exact), and print the orders of convergence");
  command->add_option("case", arguments.case_path, "The case file (YAML)")->required();
  add_overrides(*command, arguments.overrides);
  command
      ->add_option("--refine", arguments.refine,
                   "space, time or both; without it both of transient cases")
      ->check(CLI::IsMember({"space", "time", "both"}));
  command->add_option("--levels", arguments.levels, "How many meshes or steps, each half the last")
      ->check(CLI::Range(2, 12))
      ->capture_default_str();
  command
      ->add_option("--mesh", arguments.meshes,
                   "In place of the mesh of the case: give it two times or more, from coarse to "
                   "fine")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  command->add_option("--at-least", arguments.at_least,
                      "The order that the two finest levels must show, else the exit code is 79");
  command->add_option("--json", arguments.json, "Write the table to this file");
  command->add_option("--html", arguments.html, "Write a page with a plot to this file");
  command->callback([&] { action = [&] { return mms(comm, arguments); }; });
}

void add_information(CLI::App& app, const Comm& comm, std::string& path, bool& reference,
                     Action& action) {
  app.add_subcommand("info", "Show the build, the libraries, and the devices of this machine")
      ->callback([&] { action = [&] { return show_info(comm); }; });
  CLI::App* selftest =
      app.add_subcommand("selftest", "Compare every kernel on a device with the CPU");
  selftest->add_option("--device", path, "cpu, debug or gpu")->default_val("gpu");
  selftest->callback([&] { action = [&] { return self_test(comm, path); }; });
  CLI::App* schema = app.add_subcommand("schema", "Print the JSON schema of the case file");
  schema->add_flag("--reference", reference, "Print the reference page instead (Markdown)");
  schema->callback([&] {
    action = [&] {
      print_on_root(comm, reference ? io::case_reference() : io::case_schema() + "\n");
      return ExitCode::done;
    };
  });
  CLI::App* report =
      app.add_subcommand("report", "Show the report of a run directory, and write its page again");
  report->add_option("directory", path, "The run directory")->required();
  report->callback([&] { action = [&] { return show_report(comm, path); }; });
  CLI::App* verification = app.add_subcommand(
      "verify", "Check status, results and checkpoints of a run directory against their checksums");
  verification->add_option("directory", path, "The run directory")->required();
  verification->add_flag("--json", reference, "Print JSON");
  verification->callback([&] { action = [&] { return verify(comm, path, reference); }; });
}

void add_bench(CLI::App& app, const Comm& comm, BenchArguments& arguments, Action& action) {
  CLI::App* command = app.add_subcommand(
      "bench", "Measure kernels, assembly, multigrid and mesh set-up on this machine");
  command->add_option("--size", arguments.size, "Unknowns of each problem, nearly")
      ->check(CLI::Range(GlobalIndex{1000}, GlobalIndex{1'000'000'000}))
      ->capture_default_str();
  command->add_option("--device", arguments.device, "cpu, debug or gpu")->capture_default_str();
  command->add_option("--mesh", arguments.mesh,
                      "Read this mesh file too, for its cells per second");
  command->add_option("--json", arguments.json, "Write the results to this file");
  command->callback([&] { action = [&] { return bench(comm, arguments); }; });
}

struct MeshArguments {
  std::string file, to;
  std::string scale = "1", merge_tolerance = "0";
};

/// The number of an option, which may carry a unit; throws Error(64).
double number_of(const char* option, const std::string& text, const char* unit, bool may_be_zero) {
  const ParsedNumber number = parse_quantity(text, unit);
  require(number.ok(), ExitCode::usage,
          fmt::format("trestle mesh: {}: {} {}", option, in_quotes(text), number.fault));
  require(number.value > 0 || (may_be_zero && number.value == 0), ExitCode::usage,
          fmt::format("trestle mesh: {}: {} is out of range: write a number above 0{}, such as {}",
                      option, in_quotes(text), may_be_zero ? ", or 0 for none" : "",
                      may_be_zero ? "1e-6" : "1e-3 or \"1 mm\" for a mesh in millimetres"));
  return number.value;
}

io::MeshFileOptions options_of(const MeshArguments& arguments) {
  return {.scale = number_of("--scale", arguments.scale, "m", false),
          .merge_tolerance = number_of("--merge-tolerance", arguments.merge_tolerance, "1", true)};
}

void add_mesh(CLI::App& app, const Comm& comm, MeshArguments& arguments, Action& action) {
  CLI::App* mesh = app.add_subcommand("mesh", "Look at a mesh file, or convert it");
  mesh->require_subcommand(1);
  for (const char* name : {"info", "check"}) {
    CLI::App* command =
        mesh->add_subcommand(name, "Counts, groups, measures, quality and defects of a mesh");
    command->callback([&, command] {
      const bool states_scale = command->count("--scale") > 0;
      action = [&, states_scale] {
        const double scale = options_of(arguments).scale;
        return show_mesh(comm, arguments.file, states_scale ? std::optional(scale) : std::nullopt);
      };
    });
  }
  CLI::App* convert = mesh->add_subcommand("convert",
                                           "Check a Gmsh mesh or a deck (.inp) and write it as an "
                                           "HDF5 file that ranks read in parallel");
  for (CLI::App* command : mesh->get_subcommands([](const CLI::App*) { return true; })) {
    command->add_option("file", arguments.file, "The mesh file")->required();
    command->add_option("--scale", arguments.scale, "Metres per unit of the file, such as 1e-3");
  }
  convert->add_option("to", arguments.to, "The file to write, such as part.h5")->required();
  convert->add_option("--merge-tolerance", arguments.merge_tolerance,
                      "Merge nodes closer than this times the size of the mesh");
  convert->callback([&] {
    action = [&] {
      return convert_mesh(comm, arguments.file, arguments.to, options_of(arguments));
    };
  });
}

}  // namespace

ExitCode command_line(const Comm& comm, int argc, char** argv) {
  CLI::App app{about};
  app.set_version_flag("--version", std::string(io::version));
  app.require_subcommand(1);
  RunArguments run;
  ResultsArguments results;
  BenchArguments bench_arguments;
  std::string path;
  bool reference = false;
  Action action;
  add_run(app, comm, run, action);
  add_information(app, comm, path, reference, action);
  add_bench(app, comm, bench_arguments, action);
  PlanArguments plan_arguments;
  add_plan(app, comm, plan_arguments, action);
  MmsArguments mms_arguments;
  add_mms(app, comm, mms_arguments, action);
  MeshArguments mesh;
  add_mesh(app, comm, mesh, action);
  add_results_commands(app, comm, results, [&](Action chosen) { action = std::move(chosen); });
  add_job_commands(app, [&](Action chosen) {
    action = [&comm, chosen = std::move(chosen)] { return on_root(comm, chosen); };
  });
  if (const std::optional<std::string> text = parse_words(app, argc, argv)) {
    print_on_root(comm, *text);
    return ExitCode::done;
  }
  if (!app.got_subcommand("run")) jobs::release_signals();
  return action();
}

}  // namespace trestle::app
