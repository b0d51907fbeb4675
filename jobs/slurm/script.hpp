// The sbatch file of a case or of a sweep of it.
#pragma once

#include <string>
#include <vector>

#include "jobs/batch/batch.hpp"
#include "jobs/slurm/profile.hpp"

namespace trestle::jobs {

struct SlurmJob {
  SlurmProfile profile;
  std::string name;               // of the job, where the profile says none
  std::string program;            // where the profile says none
  std::string working_directory;  // absolute
  std::string log;                // where the profile says none; blanks and % are fine
  std::vector<BatchJob> runs;     // one, or an array of them; paths are absolute
  bool array = false;
};

/// The whole script: what is asked of Slurm, what is run, and the wrapper
/// (jobs/slurm/trestle_job.sh) that starts the run, passes signals on and requeues. It needs no
/// other file but the case.
std::string sbatch_script(const SlurmJob& job);

/// The wrapper alone, as it lies in jobs/slurm/trestle_job.sh.
extern const char* const slurm_wrapper;

}  // namespace trestle::jobs
