// `trestle results info | probe | csv | diff | export`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "core/error.hpp"

namespace trestle::app {

/// What a parsed command line asks for.
using Action = std::function<ExitCode()>;

struct ResultsArguments {
  std::string path;  // a results file, or a run directory that holds one
  std::string other;
  std::vector<std::string> at;  // a place as it was typed [m]
  int step = 0;
  double tolerance = 1e-10;
  std::string directory;  // of an export; "": beside the results file
};

/// Runs `work` on rank 0; all ranks get its exit code or its error. Collective.
ExitCode on_root(const Comm& comm, const std::function<ExitCode()>& work);

/// Adds the commands; `choose` gets the action of the one that was given. They run on rank 0.
void add_results_commands(CLI::App& app, const Comm& comm, ResultsArguments& arguments,
                          const std::function<void(Action)>& choose);

}  // namespace trestle::app
