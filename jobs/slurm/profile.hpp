// The profile of a site: what `trestle submit` asks Slurm for, and how a run is launched there.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/option_table.hpp"

namespace trestle::jobs {

enum class Launcher { mpirun, srun };

/// Texts are kept as they were written: a module gcc/1.10 stays 1.10.
struct SlurmProfile {
  std::string name;  // of the job; "" for the name of the case
  std::string account;
  std::string partition;
  std::string qos;
  std::string constraint;
  std::string reservation;
  std::string exclude;
  int nodes = 0;  // 0: not asked for; so also below
  int tasks = 1;
  int tasks_per_node = 0;
  int cpus_per_task = 0;
  int gpus_per_task = 0;
  std::string gpu_type;
  std::string memory;
  std::string memory_per_cpu;
  std::string memory_per_gpu;
  std::string time;
  std::string signal = "B:USR1@120";
  bool requeue = true;
  bool exclusive = false;
  bool append = true;
  int array_limit = 0;
  std::string log;
  std::vector<std::string> options;
  Launcher launcher = Launcher::mpirun;
  std::vector<std::string> launcher_options;
  std::string binding = "core";
  std::vector<std::string> modules;
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> prologue;
  std::string program;
  std::string container;
};

/// Every key but `environment`, which is a mapping of free names.
const OptionTable<SlurmProfile>& slurm_profile_table();

/// The whole tree of keys.
OptionInfo slurm_profile_info();

/// Reads the text of a profile, then `overrides` (`time=2:00:00`). Every mistake is told at once
/// with file:line:column. Throws CaseError; Error(64) for a malformed override.
SlurmProfile parse_slurm_profile(const std::string& text, const std::string& file,
                                 const std::vector<std::string>& overrides);

/// The reference page of the profile, in Markdown.
std::string slurm_profile_reference();

}  // namespace trestle::jobs
