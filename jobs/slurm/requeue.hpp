// What becomes of a job when its run has ended: back to the queue, on hold, or over.
#pragma once

#include <string>

#include "core/error.hpp"

namespace trestle::jobs {

struct RunEnd {
  std::string directory;
  int launcher_code = 0;  // of mpirun or srun, which is no proof of anything
  std::string seen;       // `status_stamp` before the run started
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
/// and runs that ended without a word; held is 74. Where the run would not begin again by itself,
/// for its last starts came to nothing (Incarnations::loop), the code is 87.
Verdict judge_run(const RunEnd& end);

/// "done", "requeue", "hold" or "stop".
std::string word(Decision decision);

}  // namespace trestle::jobs
