// StopBoard: where threads that watch deadlines, files and notices leave what they saw.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "jobs/stop/request.hpp"

namespace trestle::jobs {

/// Requests of one process; the most urgent one stays.
class StopBoard {
 public:
  using Clock = std::chrono::steady_clock;

  /// `end` is when the process will be gone, where that is known. From any thread.
  void ask(StopLevel level, const std::string& reason, std::optional<Clock::time_point> end = {});

  /// A warning for a person, given out once by `warnings`. From any thread.
  void warn(const std::string& text);
  std::vector<std::string> warnings();

  /// The level stop or terminate, and how often a checkpoint alone was asked for.
  struct Entry {
    StopLevel level = StopLevel::none;
    int saves = 0;
    std::string reason;
    std::string save_reason;
    std::optional<Clock::time_point> end;
  };
  Entry entry() const;

 private:
  mutable std::mutex mutex_;
  Entry entry_;
  std::vector<std::string> warnings_;
};

}  // namespace trestle::jobs
