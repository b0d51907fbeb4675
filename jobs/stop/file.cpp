#include "jobs/stop/file.hpp"

#include <unistd.h>

namespace trestle::jobs {
namespace {

/// `board`, before which a file that is left of an earlier run is removed.
StopBoard& without_leftover(const std::string& path, StopBoard& board) {
  if (unlink(path.c_str()) == 0)
    board.warn(
        "A file STOP was in the run directory before this run started; it is removed and stops "
        "nothing: make it again to stop this run.");
  return board;
}

}  // namespace

StopFile::StopFile(const std::string& directory, StopBoard& board)
    : path_(directory + "/STOP"),
      board_(without_leftover(path_, board)),
      watch_(std::chrono::seconds(1), [this] { look(); }) {}

void StopFile::look() {
  // Whoever removes it has taken the request.
  if (access(path_.c_str(), F_OK) == 0 && unlink(path_.c_str()) == 0)
    board_.ask(StopLevel::stop, "the file STOP in the run directory");
}

}  // namespace trestle::jobs
