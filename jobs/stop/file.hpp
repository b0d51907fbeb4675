// StopFile: a run stops when a file named STOP appears in its directory.
#pragma once

#include <string>

#include "jobs/periodic.hpp"
#include "jobs/stop/board.hpp"

namespace trestle::jobs {

/// Looks for DIRECTORY/STOP every second as long as it lives, and removes the file when it has
/// asked, so that the next run goes on. One that is there before was meant for an earlier run,
/// which ended first: it is removed with a warning. `board` outlives it.
class StopFile {
 public:
  StopFile(const std::string& directory, StopBoard& board);

 private:
  void look();

  std::string path_;
  StopBoard& board_;
  Periodic watch_;
};

}  // namespace trestle::jobs
