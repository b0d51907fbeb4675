// Runs a batch on this machine: some jobs at a time, none of them the others' business.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "jobs/batch/batch.hpp"

namespace trestle::jobs {

struct BatchRunOptions {
  std::string program;  // trestle
  int at_once = 1;
  bool overwrite = false;             // runs that are there are replaced, not gone on with
  std::vector<std::string> launcher;  // before `-n RANKS trestle ...`, of jobs with more ranks
  std::function<void(const std::string&)> tell;                   // a line for people
  std::chrono::milliseconds patience = std::chrono::seconds(30);  // with jobs that are to end
};

/// Runs the jobs that `wanted` names by their places, and notes in batch.json how each ended. A
/// job's output goes to DIRECTORY/NAME.log. INT, TERM and USR1 ask the jobs at work to stop and
/// start no more; a second one ends them. What is still there `patience` after a TERM or a second
/// request is killed. Throws only where the batch's own files cannot be
/// written.
void run_jobs(Batch& batch, const std::vector<std::size_t>& wanted, const BatchRunOptions& options);

}  // namespace trestle::jobs
