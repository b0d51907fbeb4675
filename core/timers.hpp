// Wall-clock time by phase of a run; each rank only records.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace trestle {

/// Seconds spent in each named phase on this rank.
class Timers {
 public:
  /// Adds the life of the returned object to `phase`.
  class Scope {
   public:
    Scope(Timers& timers, std::string phase)
        : timers_(timers), phase_(std::move(phase)), start_(std::chrono::steady_clock::now()) {}
    ~Scope() {
      timers_.add(phase_,
                  std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Timers& timers_;
    std::string phase_;
    std::chrono::steady_clock::time_point start_;
  };

  Scope time(std::string phase) { return Scope(*this, std::move(phase)); }
  void add(const std::string& phase, double seconds) { seconds_[phase] += seconds; }
  const std::map<std::string, double>& seconds() const { return seconds_; }

 private:
  std::map<std::string, double> seconds_;
};

}  // namespace trestle
