#include "jobs/stop/board.hpp"

#include <utility>

namespace trestle::jobs {

void StopBoard::ask(StopLevel level, const std::string& reason,
                    std::optional<Clock::time_point> end) {
  const std::lock_guard guard(mutex_);
  if (level == StopLevel::save) {
    ++entry_.saves;
    entry_.save_reason = reason;
    return;
  }
  if (level <= entry_.level) return;
  entry_.level = level;
  entry_.reason = reason;
  entry_.end = end;
}

void StopBoard::warn(const std::string& text) {
  const std::lock_guard guard(mutex_);
  warnings_.push_back(text);
}

std::vector<std::string> StopBoard::warnings() {
  const std::lock_guard guard(mutex_);
  return std::exchange(warnings_, {});
}

StopBoard::Entry StopBoard::entry() const {
  const std::lock_guard guard(mutex_);
  return entry_;
}

}  // namespace trestle::jobs
