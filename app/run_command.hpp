// `trestle run` and `trestle check`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "core/error.hpp"

namespace trestle::app {

struct RunArguments {
  std::string case_path;
  std::optional<std::string> output;
  std::string restart;  // "auto", "never", a path, or "" when it is not given
  bool overwrite = false;
  std::vector<std::string> overrides;
};

/// Runs a case; returns the exit code. What goes wrong is thrown after report and status were
/// written. Collective.
ExitCode run_case(const Comm& comm, const RunArguments& arguments);

/// Reads the case and its mesh, finds groups, materials and supports, and says what would be run.
/// Collective.
ExitCode check_case(const Comm& comm, const RunArguments& arguments);

/// Where a failure of this rank alone is noted: the run directory of the run in progress, or "".
const std::string& active_directory();

}  // namespace trestle::app
