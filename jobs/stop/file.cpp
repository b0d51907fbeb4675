#include "jobs/stop/file.hpp"

#include <unistd.h>

namespace trestle::jobs {

StopFile::StopFile(const std::string& directory, StopBoard& board)
    : path_(directory + "/STOP"),
      board_(board),
      watch_(std::chrono::seconds(1), [this] { look(); }) {}

void StopFile::look() {
  // Whoever removes it has taken the request.
  if (access(path_.c_str(), F_OK) == 0 && unlink(path_.c_str()) == 0)
    board_.ask(StopLevel::stop, "the file STOP in the run directory");
}

}  // namespace trestle::jobs
