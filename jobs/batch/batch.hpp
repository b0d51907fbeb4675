// A batch: runs that know nothing of each other, each with a directory of its own, and how each
// ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace trestle::jobs {

/// How the run in a directory ended, by its status.json alone.
struct RunState {
  enum class Kind { missing, running, completed, stopped, failed };
  Kind kind = Kind::missing;
  int code = 0;  // exit code
  std::string message;
  bool ok() const { return kind == Kind::completed && code == 0; }
};

struct BatchJob {
  std::string name;  // unique in its batch
  std::string case_file;
  std::vector<std::string> overrides;
  std::string directory;
  int ranks = 1;
  /// How the last start ended where its status.json does not tell, and the stamp that status had.
  std::optional<RunState> noted;
  std::string noted_stamp;
};

struct Batch {
  std::string directory;
  std::vector<BatchJob> jobs;
};

/// Never throws for what lies there: a status that cannot be read counts as missing.
RunState read_run_state(const std::string& directory);

/// By its status, else by what was noted of it.
RunState state_of_job(const BatchJob& job);

/// "ok", "missed" (an expectation), "failed", "stopped", "unfinished", "not started".
std::string state_word(const RunState& state);

/// Reads a batch file: `jobs: [{case: a.yaml, name: a, set: [k=v], sweep: [k=a,b], ranks: 2}]`,
/// paths beside the file. Jobs get names and directories below `directory` that are unique. Throws
/// CaseError.
Batch parse_batch(const std::string& text, const std::string& file, const std::string& directory);

/// Whether `text` is that of a batch file, not of a case: a top-level key `jobs`.
bool is_batch_file(const std::string& text);

/// Whether a folder of this name would stand where a batch has a file of its own: its list, its
/// summary, its script, the logs of its jobs.
bool is_file_of_batch(const std::string& name);

/// Gives each job a name of its own (its case's, then -2, -3 ...) and its directory.
void name_jobs(Batch& batch);

/// DIRECTORY/batch.json: what `read_batch` needs to go on with the batch later.
void write_batch(const Batch& batch);
/// Throws Error 66 (none there) or 65 (damaged).
Batch read_batch(const std::string& directory);

/// A line for each job and one for all of them, as `trestle batch status` prints them.
std::string batch_table(const Batch& batch, const std::vector<RunState>& states);

/// 0 when every job is done; else the code of the first one that is not, 85 where it never ended.
ExitCode batch_code(const std::vector<RunState>& states);

/// DIRECTORY/summary.csv: a row for each job.
void write_summary(const Batch& batch, const std::vector<RunState>& states);

}  // namespace trestle::jobs
