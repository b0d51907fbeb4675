#include "app/commands/job_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>

#include "app/commands/batch_command.hpp"
#include "app/commands/command_words.hpp"
#include "app/commands/submit.hpp"
#include "app/console.hpp"
#include "app/failure.hpp"
#include "core/standard_streams.hpp"
#include "jobs/slurm/requeue.hpp"

namespace trestle::app {
namespace {

/// An option that is given once for each of its values.
void add_each(CLI::App& command, const char* name, std::vector<std::string>& values,
              const char* help) {
  command.add_option(name, values, help)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

constexpr const char* set_help = "Override a key of the case, such as solver.precision=double";
constexpr const char* sweep_help =
    "A run for each value: key.path=value,value...; several make every combination";

void add_submit(CLI::App& app, const std::function<void(Action)>& choose) {
  const auto arguments = std::make_shared<SubmitArguments>();
  CLI::App* command =
      app.add_subcommand("submit", "Write the sbatch file of a case and give it to Slurm");
  command->add_option("case", arguments->case_path, "The case file (YAML)");
  command->add_option("--profile", arguments->profile,
                      "The profile of the site (YAML); without it the file that TRESTLE_PROFILE "
                      "names");
  add_each(*command, "--with", arguments->settings,
           "Override a key of the profile, such as time=2:00:00");
  command->add_option("--output", arguments->output,
                      "The run directory; of a sweep, the directory of all runs");
  add_each(*command, "--set", arguments->overrides, set_help);
  add_each(*command, "--sweep", arguments->sweep, sweep_help);
  command->add_option("--script", arguments->script, "Where to write the sbatch file");
  command->add_flag("--mesh-later", arguments->mesh_later,
                    "Submit without a look at the mesh, where the job itself makes it");
  command->add_flag("--dry-run", arguments->dry_run, "Print the sbatch file and change nothing");
  command->add_flag("--reference", arguments->reference,
                    "Print what may stand in a profile (Markdown)");
  command->callback([=] { choose([=] { return submit(*arguments); }); });
}

void add_batch(CLI::App& app, const std::function<void(Action)>& choose) {
  const auto arguments = std::make_shared<BatchArguments>();
  CLI::App* batch = app.add_subcommand("batch", "Run several cases, each on its own");
  batch->require_subcommand(1);
  CLI::App* run = batch->add_subcommand(
      "run", "Run cases, or a batch file, one after another; none stops the others");
  run->add_option("files", arguments->files, "Cases, or one batch file (jobs: [{case: ...}])")
      ->required();
  run->add_option("--output", arguments->directory, "The directory of all runs")
      ->default_val("results/batch");
  add_each(*run, "--set", arguments->overrides, set_help);
  add_each(*run, "--sweep", arguments->sweep, sweep_help);
  run->add_flag("--overwrite", arguments->overwrite, "Replace the runs that are there");
  CLI::App* rerun = batch->add_subcommand("rerun", "Run the jobs of a batch that are not done");
  CLI::App* status = batch->add_subcommand("status", "How each job of a batch ended");
  run->add_option("--ranks", arguments->ranks, "Ranks of each run")->check(CLI::Range(1, 1000000));
  for (CLI::App* command : {run, rerun})
    command->add_option("--at-once", arguments->at_once, "Most runs at a time")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
  for (CLI::App* command : {rerun, status})
    command->add_option("directory", arguments->directory, "The directory of the batch")
        ->required();
  run->callback([=] { choose([=] { return run_batch(*arguments); }); });
  rerun->callback([=] { choose([=] { return rerun_batch(*arguments); }); });
  status->callback([=] { choose([=] { return show_batch(*arguments); }); });
}

void add_post_exit(CLI::App& app, const std::function<void(Action)>& choose) {
  const auto end = std::make_shared<jobs::RunEnd>();
  CLI::App* command = app.add_subcommand(
      "post-exit", "For job scripts: what to do with a job whose run has ended (docs/slurm.md)");
  command->add_option("directory", end->directory, "The run directory")->required();
  command->add_option("--code", end->launcher_code, "What mpirun or srun returned")->required();
  command->add_option("--seen", end->seen,
                      "What `stat -c %.9Y` said of status.json before the run; none without one");
  command->callback([=] {
    choose([=] {
      const jobs::Verdict verdict = jobs::judge_run(*end);
      write_to(stdout, "{} {}: {}\n", word(verdict.decision), verdict.code,
               printable(verdict.reason));
      return static_cast<ExitCode>(verdict.code);
    });
  });
}

/// Jobs start their ranks themselves: under a launcher each of its processes would do all of the
/// work, in the same folders.
void refuse_launcher(const std::string& command) {
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  const bool in_srun = tasks != nullptr && std::atoi(tasks) > 1;
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr && !in_srun) return;
  throw Error(ExitCode::usage,
              fmt::format("trestle {} is one process, which starts ranks itself: leave out mpirun "
                          "or srun; batch run has --ranks, and a profile says those of a job",
                          command));
}

}  // namespace

bool is_job_command(int argc, char** argv) {
  if (argc < 2) return false;
  const std::string first = argv[1];
  return first == "submit" || first == "batch" || first == "post-exit";
}

void add_job_commands(CLI::App& app, const std::function<void(Action)>& choose) {
  add_submit(app, choose);
  add_batch(app, choose);
  add_post_exit(app, choose);
}

int job_command_line(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    CLI::App app{about};
    app.require_subcommand(1);
    Action action;
    add_job_commands(app, [&](Action chosen) { action = std::move(chosen); });
    if (const std::optional<std::string> help = parse_words(app, argc, argv)) {
      write_to(stdout, "{}", *help);
      return 0;
    }
    if (!app.got_subcommand("post-exit")) refuse_launcher(argv[1]);
    const ExitCode code = action();
    if (std::fflush(stdout) != 0)
      throw SystemError(ExitCode::io, "the standard output could not be written");
    return static_cast<int>(code);
  } catch (...) {
    const Failure failure = current_failure();
    write_to(stderr, "error: {}\n", printable(failure.message));
    return static_cast<int>(failure.code);
  }
}

}  // namespace trestle::app
