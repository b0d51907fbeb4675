// `trestle batch run | rerun | status`.
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"

namespace trestle::app {

struct BatchArguments {
  std::vector<std::string> files;  // cases, or one batch file
  std::string directory;
  std::vector<std::string> overrides;
  std::vector<std::string> sweep;
  int ranks = 0;  // 0: as the batch says, else 1
  int at_once = 1;
  bool overwrite = false;
};

/// Runs every job whatever becomes of the others, and prints how each ended. Returns 0 when all are
/// done, else the code of the first that is not. Throws before the first job for what is wrong with
/// the batch itself.
ExitCode run_batch(const BatchArguments& arguments);
/// Runs the jobs of a batch that are not done.
ExitCode rerun_batch(const BatchArguments& arguments);
/// Prints how each job ended; returns as run_batch.
ExitCode show_batch(const BatchArguments& arguments);

}  // namespace trestle::app
