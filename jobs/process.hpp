// Other programs: start one, wait for one, take its output.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace trestle::jobs {

/// Starts `words` (looked up on PATH) in a process group of its own, reading nothing, with both
/// outputs appended to `log`. Throws Error 73 or 77 for the log, 66 for a program that is not
/// there.
pid_t start_process(const std::vector<std::string>& words, const std::string& log);

/// What a process ended with, as a shell tells it: its code, or 128 + signal.
int exit_code_of_wait(int status);

struct Output {
  int code = 0;
  std::string text;  // standard output, at most 64 KiB; the standard error goes to ours
};

/// Runs `words` to the end. Throws Error(66) when the program is not there.
Output run_process(const std::vector<std::string>& words);

}  // namespace trestle::jobs
