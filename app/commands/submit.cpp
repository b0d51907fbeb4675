#include "app/commands/submit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "app/commands/own_program.hpp"
#include "app/console.hpp"
#include "core/standard_streams.hpp"
#include "core/units.hpp"
#include "io/case/case.hpp"
#include "io/files.hpp"
#include "io/roots.hpp"
#include "jobs/batch/sweep.hpp"
#include "jobs/process.hpp"
#include "jobs/shell_quote.hpp"
#include "jobs/slurm/script.hpp"

namespace trestle::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t text_limit = 1 << 20;

jobs::SlurmProfile read_profile(const SubmitArguments& arguments) {
  std::string path = arguments.profile;
  if (const char* named = std::getenv("TRESTLE_PROFILE"); path.empty() && named != nullptr)
    path = named;
  if (!path.empty())
    return jobs::parse_slurm_profile(io::read_text_file(path, text_limit), path,
                                     arguments.settings);
  return jobs::parse_slurm_profile("{}", "(no profile)", arguments.settings);
}

/// The case with each set of overrides, so that a mistake shows before anything waits in a queue.
io::Case check_cases(const SubmitArguments& arguments,
                     const std::vector<jobs::SweepPoint>& points) {
  const std::string text = io::read_text_file(arguments.case_path, text_limit);
  const std::string here = fs::current_path().string();
  for (const jobs::SweepPoint& point : points) {
    std::vector<std::string> overrides = arguments.overrides;
    overrides.insert(overrides.end(), point.overrides.begin(), point.overrides.end());
    try {
      io::parse_case(text, arguments.case_path, overrides, here);
    } catch (const CaseError& error) {
      throw CaseError({"in the job " + point.name + " of the sweep: " + error.what()});
    }
  }
  return points.empty() ? io::parse_case(text, arguments.case_path, arguments.overrides, here)
                        : io::parse_case(text, arguments.case_path, {}, here);
}

/// Of the overrides of a run those that the mesh may contradict: all but quantities, which are
/// right or wrong without it, and all of the mesh itself.
std::vector<std::string> for_the_mesh(const std::vector<std::string>& overrides) {
  std::vector<std::string> words;
  for (const std::string& word : overrides)
    if (word.starts_with("mesh.") || !looks_like_quantity(word.substr(word.find('=') + 1)))
      words.push_back(word);
  return words;
}

/// What only the mesh can show, by a `trestle check` of every run that could differ in it: a
/// command like this one has no MPI to read meshes with. Throws Error with the code of the check.
void check_meshes(const std::vector<jobs::BatchJob>& runs) {
  std::set<std::vector<std::string>> seen;
  for (const jobs::BatchJob& run : runs) {
    if (!seen.insert(for_the_mesh(run.overrides)).second) continue;
    std::vector<std::string> words{own_program(), "check", run.case_file, "--output",
                                   run.directory};
    for (const std::string& set : run.overrides) words.insert(words.end(), {"--set", set});
    words.insert(words.end(), {"--set", "solver.device=auto"});  // the job's GPUs are elsewhere
    const jobs::Output output = jobs::run_process(words);
    if (output.code != 0)
      throw Error(
          static_cast<ExitCode>(output.code),
          fmt::format("nothing was submitted: trestle check {} ends with {}, as told above; "
                      "--mesh-later submits without a look at the mesh",
                      run.case_file, output.code));
  }
}

std::string absolute(const std::string& path) {
  std::string whole = fs::absolute(path).lexically_normal().string();
  while (whole.size() > 1 && whole.back() == '/') whole.pop_back();
  return whole;
}

jobs::Batch make_runs(const SubmitArguments& arguments, const std::vector<jobs::SweepPoint>& points,
                      const std::string& directory, int ranks) {
  jobs::Batch batch{directory, {}};
  const std::string case_file = absolute(arguments.case_path);
  if (points.empty()) {
    batch.jobs.push_back({.case_file = case_file,
                          .overrides = arguments.overrides,
                          .directory = directory,
                          .ranks = ranks});
    return batch;
  }
  for (const jobs::SweepPoint& point : points) {
    jobs::BatchJob job{.name = point.name,
                       .case_file = case_file,
                       .overrides = arguments.overrides,
                       .ranks = ranks};
    job.overrides.insert(job.overrides.end(), point.overrides.begin(), point.overrides.end());
    batch.jobs.push_back(std::move(job));
  }
  name_jobs(batch);
  return batch;
}

/// A path for sbatch's file names, where % begins a pattern.
std::string without_patterns(const std::string& path) {
  std::string text;
  for (char c : path) text += c == '%' ? std::string("%%") : std::string(1, c);
  return text;
}

void refuse_line_breaks(const jobs::SlurmJob& job) {
  const auto check = [](const std::string& text) {
    if (text.find_first_of("\n\r") != std::string::npos)
      throw Error(ExitCode::usage,
                  "a path or an override with a line break cannot stand in a script of Slurm");
  };
  check(job.working_directory);
  check(job.log);
  for (const jobs::BatchJob& run : job.runs) check(run.case_file);
}

ExitCode give_to_sbatch(const std::string& script) {
  const jobs::Output output = jobs::run_process({"sbatch", "--parsable", script});
  if (output.code != 0)
    throw Error(
        ExitCode::no_device,
        fmt::format("sbatch refused {} (code {}); what it says stands above", script, output.code));
  write_to(stdout, "job {} from {}\n", output.text.substr(0, output.text.find_first_of("\n;")),
           script);
  return ExitCode::done;
}

}  // namespace

ExitCode submit(const SubmitArguments& arguments) {
  if (arguments.reference) {
    write_to(stdout, "{}", jobs::slurm_profile_reference());
    return ExitCode::done;
  }
  if (arguments.case_path.empty())
    throw Error(ExitCode::usage, "trestle submit: which case? see trestle submit --help");
  const std::vector<jobs::SweepPoint> points =
      arguments.sweep.empty() ? std::vector<jobs::SweepPoint>{} : jobs::make_sweep(arguments.sweep);
  jobs::SlurmJob job{.profile = read_profile(arguments)};
  const io::Case c = check_cases(arguments, points);
  if (arguments.mesh_later)  // else the check tells them
    for (const std::string& warning : c.warnings)
      write_to(stderr, "warning: {}\n", printable(warning));
  const std::string named = c.output.directory.empty() ? "results/" + c.name : c.output.directory;
  const std::string directory = absolute(arguments.output.empty() ? named : arguments.output);
  io::require_in_roots(directory);
  const jobs::Batch batch = make_runs(arguments, points, directory, job.profile.tasks);
  job.name = jobs::folder_name(c.name);
  job.program = own_program();
  job.working_directory = fs::current_path().string();
  job.log = without_patterns(directory) + (points.empty() ? ".slurm-%j.log" : "/slurm-%A_%a.log");
  job.runs = batch.jobs;
  job.array = !points.empty();
  refuse_line_breaks(job);
  if (!arguments.mesh_later) check_meshes(job.runs);
  const std::string text = jobs::sbatch_script(job);
  if (arguments.dry_run) {
    write_to(stdout, "{}", text);
    return ExitCode::done;
  }
  const std::string script = !arguments.script.empty()
                                 ? arguments.script
                                 : directory + (points.empty() ? ".sbatch" : "/submit.sbatch");
  io::make_folders(points.empty() ? io::folder_of(directory) : directory);
  io::write_text_file(script, text);
  if (!points.empty()) jobs::write_batch(batch);
  const ExitCode code = give_to_sbatch(script);
  if (!points.empty())
    write_to(stdout, "{} runs; how they end: trestle batch status {}\n", points.size(),
             jobs::shell_quote(directory));
  return code;
}

}  // namespace trestle::app
