// `trestle run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "core/error.hpp"
#include "io/case/case.hpp"

namespace trestle::app {

struct RunArguments {
  std::string case_path;
  std::optional<std::string> output;
  std::string restart;  // "auto", "never", a path, or "" when it is not given
  bool overwrite = false;
  bool strict = false;  // values that are not plausible are mistakes
  std::vector<std::string> overrides;
};

/// Runs a case; returns the exit code. What goes wrong is thrown after report and status were
/// written. Collective.
ExitCode run_case(const Comm& comm, const RunArguments& arguments);

/// The case of a command, with its overrides. Throws CaseError; with --strict also for values that
/// are not plausible. Collective.
io::Case read_case(const Comm& comm, const RunArguments& arguments);

/// Where a run writes: `--output`, else the case's `output.directory`, else results/<case name>.
std::string output_directory(const io::Case& c, const RunArguments& arguments);
/// Where the case says so; nowhere where the command line or the default does.
SourcePosition output_place(const io::Case& c, const RunArguments& arguments);

/// Where a failure of this rank alone is noted: the run directory of the run in progress, or "".
const std::string& active_directory();

}  // namespace trestle::app
