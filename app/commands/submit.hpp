// `trestle submit`.
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"

namespace trestle::app {

struct SubmitArguments {
  std::string case_path;
  std::string profile;                // "": $TRESTLE_PROFILE, else no profile
  std::vector<std::string> settings;  // of the profile: time=2:00:00
  std::string output;                 // the run directory, or of a sweep the directory of all runs
  std::string script;                 // "": beside the run directory
  std::vector<std::string> overrides;
  std::vector<std::string> sweep;
  bool dry_run = false;
  bool mesh_later = false;  // the mesh is not there yet, or too large for this machine
  bool reference = false;
};

/// Checks profile, case and mesh, writes the sbatch file and gives it to sbatch; with `dry_run`
/// prints it and changes nothing. Throws CaseError and Errors, with the code of `trestle check`
/// where that finds a mistake; 69 where sbatch is missing or refuses.
ExitCode submit(const SubmitArguments& arguments);

}  // namespace trestle::app
