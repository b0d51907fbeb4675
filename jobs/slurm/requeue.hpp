// What becomes of a job when its run has ended: back to the queue, on hold, or over.
#pragma once

#include <string>

#include "core/error.hpp"

namespace trestle::jobs {

struct RunEnd {
  std::string directory;
  int launcher_code = 0;  // of mpirun or srun, which is no proof of anything
  std::string seen;       // `status_stamp` before the run started
  int attempts = 3;       // starts in a row without a new checkpoint, after which it is over
};

enum class Decision { done, requeue, hold, stop };

struct Verdict {
  Decision decision = Decision::stop;
  int code = 0;  // what the job ends with
  std::string reason;
};

/// The time of the last change of DIRECTORY/status.json in seconds and nanoseconds; "none" without
/// one. Two are equal when nothing was written between them.
std::string status_stamp(const std::string& directory);

/// By status.json where the run wrote it, else by the launcher's code. Requeued are 75, 82, 84, 85
/// and runs that ended without a word; held is 74. After `attempts` starts in a row without a new
/// checkpoint the code is 87. The count lies beside the run directory, in DIRECTORY.requeue.json.
Verdict judge_run(const RunEnd& end);

/// "done", "requeue", "hold" or "stop".
std::string word(Decision decision);

}  // namespace trestle::jobs
