#include "app/commands/results_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "app/console.hpp"
#include "core/number.hpp"
#include "core/standard_streams.hpp"
#include "core/units.hpp"
#include "io/results/probe.hpp"
#include "io/results/tools.hpp"
#include "io/results/xdmf.hpp"
#include "io/roots.hpp"
#include "jobs/status.hpp"

namespace trestle::app {
namespace {

/// Says why there is no results.hdf in a directory.
[[noreturn]] void refuse_without_results(const std::string& directory) {
  io::require_in_roots(directory);
  const std::string state = jobs::state_of(directory);
  if (state.empty())
    throw Error(ExitCode::no_input,
                directory +
                    " holds neither results.hdf nor the status.json of a run; give the directory "
                    "of a run, or a results file");
  const jobs::FormerProgress run = jobs::progress_of(directory);
  throw Error(ExitCode::no_input,
              fmt::format("the run in {} has written no results: {}/status.json says {}{}{}",
                          directory, directory, state,
                          run.exit_code == 0 ? "" : fmt::format(", exit code {}", run.exit_code),
                          run.message.empty() ? "" : ": " + run.message));
}

/// A results file, or the one in a run directory.
std::string results_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (!fs::is_directory(path, none)) return path;
  const std::string file = path + "/results.hdf";
  if (!fs::exists(fs::symlink_status(file, none))) refuse_without_results(path);
  return file;
}

ExitCode print(const std::string& text) {
  write_to(stdout, "{}\n", printable(text));
  return ExitCode::done;
}

/// The 2 or 3 numbers of a place from words such as "0.1 0.2 0", "0.1,0.2" or "[0.1, 0.2, 0]".
/// Throws Error(64).
std::vector<double> parse_place(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return std::string_view(",;[]()\t").find(c) != std::string_view::npos; }, ' ');
  std::istringstream in(text);
  std::vector<double> place;
  for (std::string word; in >> word;) {
    const ParsedNumber number = parse_quantity(word, "m");
    require(number.ok(), ExitCode::usage,
            fmt::format("at: {} {}; write a place as 0.1 0.2 0, or 0.1,0.2,0", in_quotes(word),
                        number.fault));
    place.push_back(number.value);
  }
  require(place.size() == 2 || place.size() == 3, ExitCode::usage,
          fmt::format("at: a place has 2 or 3 numbers, these are {}: write it as 0.1 0.2 0, or "
                      "0.1,0.2,0, with decimal points",
                      place.size()));
  return place;
}

ExitCode diff(const ResultsArguments& arguments) {
  require(std::isfinite(arguments.tolerance) && arguments.tolerance >= 0, ExitCode::usage,
          fmt::format("results diff: --tolerance is {}; write a number of at least 0, such as 1e-8",
                      arguments.tolerance));
  const io::ResultsDifference difference = io::results_diff(
      results_file(arguments.path), results_file(arguments.other), arguments.tolerance);
  print(io::to_string(difference));
  return difference.same() ? ExitCode::done : static_cast<ExitCode>(1);
}

}  // namespace

ExitCode on_root(const Comm& comm, const std::function<ExitCode()>& work) {
  ExitCode code = ExitCode::done;
  comm.agree([&] {
    if (comm.is_root()) code = work();
  });
  return static_cast<ExitCode>(comm.max(static_cast<int>(code)));
}

void add_results_commands(CLI::App& app, const Comm& comm, ResultsArguments& arguments,
                          const std::function<void(Action)>& choose) {
  CLI::App* results = app.add_subcommand("results", "Look at results files");
  results->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, std::function<ExitCode()> work) {
    CLI::App* command = results->add_subcommand(name, help);
    command->add_option("results", arguments.path, "A run directory, or its results.hdf")
        ->required();
    command->callback(
        [&comm, choose, work] { choose([&comm, work] { return on_root(comm, work); }); });
    return command;
  };
  add("info", "Counts, regions, steps, and the range of each field",
      [&arguments] { return print(io::results_info(results_file(arguments.path))); });
  add("probe", "The values of every field at a place, from the cell that holds it",
      [&arguments] {
        return print(io::results_probe(results_file(arguments.path), parse_place(arguments.at)));
      })
      ->add_option("at", arguments.at, "x y z, or x y in 2D, with blanks or commas between [m]")
      ->required();
  add("csv", "One line per point of a step", [&arguments] {
    io::results_csv(results_file(arguments.path), arguments.step, std::cout);
    if (!std::cout.flush())
      throw SystemError(ExitCode::io, "the standard output could not be written");
    return ExitCode::done;
  })->add_option("--step", arguments.step, "The step, from 0");
  CLI::App* compare = add("diff", "Compare two runs; exits with 1 when they differ",
                          [&arguments] { return diff(arguments); });
  compare->add_option("other", arguments.other, "The other run directory or results.hdf")
      ->required();
  compare->add_option("--tolerance", arguments.tolerance,
                      "Largest difference, relative to the largest value of a field");
  add("export", "Write XDMF and a plain HDF5 file per step",
      [&arguments] {
        const std::string file = results_file(arguments.path);
        const std::string beside = std::filesystem::path(file).parent_path().string();
        return print(io::export_xdmf(file, !arguments.directory.empty() ? arguments.directory
                                           : beside.empty()             ? "."
                                                                        : beside));
      })
      ->add_option("--directory", arguments.directory,
                   "Where to write; beside the results when it is not given");
}

}  // namespace trestle::app
