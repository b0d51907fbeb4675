#include "app/commands/batch_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/own_program.hpp"
#include "app/console.hpp"
#include "core/standard_streams.hpp"
#include "io/files.hpp"
#include "io/roots.hpp"
#include "jobs/batch/runner.hpp"
#include "jobs/batch/sweep.hpp"

namespace trestle::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t text_limit = 1 << 20;

std::vector<jobs::RunState> states_of(const jobs::Batch& batch) {
  std::vector<jobs::RunState> states;
  for (const jobs::BatchJob& job : batch.jobs) states.push_back(state_of_job(job));
  return states;
}

/// The jobs of cases, times the points of the sweep.
jobs::Batch batch_of_cases(const BatchArguments& arguments) {
  jobs::Batch batch{arguments.directory, {}};
  for (const std::string& file : arguments.files) {
    jobs::BatchJob job{.case_file = fs::absolute(file).lexically_normal().string()};
    if (arguments.sweep.empty()) batch.jobs.push_back(job);
    if (arguments.sweep.empty()) continue;
    for (const jobs::SweepPoint& point : jobs::make_sweep(arguments.sweep)) {
      job.name = fs::path(file).stem().string() + "-" + point.name;
      job.overrides = point.overrides;
      batch.jobs.push_back(job);
    }
  }
  name_jobs(batch);
  return batch;
}

jobs::Batch make_batch(const BatchArguments& arguments) {
  if (arguments.files.size() == 1) {
    const std::string text = io::read_text_file(arguments.files[0], text_limit);
    if (jobs::is_batch_file(text)) {
      if (!arguments.sweep.empty())
        throw Error(ExitCode::usage, "--sweep is for cases; in a batch file write sweep: [...]");
      return jobs::parse_batch(text, arguments.files[0], arguments.directory);
    }
  }
  return batch_of_cases(arguments);
}

void refuse_former(const BatchArguments& arguments) {
  if (arguments.overwrite || !fs::exists(arguments.directory + "/batch.json")) return;
  throw Error(ExitCode::cannot_create,
              fmt::format("{} holds a batch: trestle batch rerun {} runs what is not done, "
                          "--overwrite all of it anew, --output takes another directory",
                          arguments.directory, arguments.directory));
}

/// Throws Error(78) for jobs of more ranks than anybody can mean for this machine.
void refuse_too_many_ranks(const jobs::Batch& batch) {
  constexpr long most_per_core = 64;
  const long n_cores = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  for (const jobs::BatchJob& job : batch.jobs)
    if (job.ranks > most_per_core * n_cores)
      throw Error(
          ExitCode::case_file,
          fmt::format("job {}: {} ranks are more than {} for each of the {} cores of this "
                      "machine; give at most {} (ranks, --ranks)",
                      job.name, job.ranks, most_per_core, n_cores, most_per_core * n_cores));
}

ExitCode run_and_tell(jobs::Batch& batch, const std::vector<std::size_t>& wanted,
                      const BatchArguments& arguments) {
  jobs::BatchRunOptions options{.program = own_program(),
                                .at_once = arguments.at_once,
                                .overwrite = arguments.overwrite,
                                .launcher = {"mpirun", "--oversubscribe", "--bind-to", "none"}};
  options.tell = [](const std::string& line) {
    write_to(stdout, "{}\n", printable(line));
    std::fflush(stdout);
  };
  run_jobs(batch, wanted, options);
  const std::vector<jobs::RunState> states = states_of(batch);
  write_to(stdout, "\n{}\n", batch_table(batch, states));
  write_summary(batch, states);
  return batch_code(states);
}

}  // namespace

ExitCode run_batch(const BatchArguments& arguments) {
  io::require_in_roots(arguments.directory);
  refuse_former(arguments);
  jobs::Batch batch = make_batch(arguments);
  for (jobs::BatchJob& job : batch.jobs) {
    job.overrides.insert(job.overrides.end(), arguments.overrides.begin(),
                         arguments.overrides.end());
    if (arguments.ranks > 0) job.ranks = arguments.ranks;
  }
  refuse_too_many_ranks(batch);
  io::make_folders(arguments.directory);
  write_batch(batch);
  std::vector<std::size_t> all(batch.jobs.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return run_and_tell(batch, all, arguments);
}

ExitCode rerun_batch(const BatchArguments& arguments) {
  jobs::Batch batch = jobs::read_batch(arguments.directory);
  refuse_too_many_ranks(batch);
  const std::vector<jobs::RunState> states = states_of(batch);
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < states.size(); ++i)
    if (!states[i].ok()) wanted.push_back(i);
  return run_and_tell(batch, wanted, arguments);
}

ExitCode show_batch(const BatchArguments& arguments) {
  const jobs::Batch batch = jobs::read_batch(arguments.directory);
  const std::vector<jobs::RunState> states = states_of(batch);
  write_to(stdout, "{}\n", batch_table(batch, states));
  return batch_code(states);
}

}  // namespace trestle::app
