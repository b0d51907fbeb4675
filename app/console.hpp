// What a person sees while a run goes on: plain lines, and on a terminal a line of progress that
// moves.
#pragma once

#include <chrono>
#include <string>

#include "core/comm.hpp"

namespace trestle::app {

/// Rank 0 prints to standard output, the others stay silent.
class Console {
 public:
  /// A quiet one prints nothing.
  explicit Console(const Comm& comm, bool quiet = false);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console() { clear_progress(); }

  void line(const std::string& text);
  void warning(const std::string& text) { line("warning: " + text); }
  /// One iteration of the solver; on a terminal at most ten times a second, else every ten seconds.
  void iteration(int number, double residual, double tolerance);
  void start_solve();
  /// Where a run of many steps is, of which `done` (0 to 1) lies behind; shown as seldom.
  void step(double done, const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  void clear_progress();
  /// Whether it is time to show something again.
  bool is_due();
  void show(const std::string& text);

  bool active_;
  bool terminal_;
  bool progress_shown_ = false;
  Clock::time_point solve_start_;
  Clock::time_point last_shown_;
  Clock::time_point first_step_{};
  double first_residual_ = 0;
};

/// Text of a case or mesh with control characters escaped, so that it cannot steer a terminal.
std::string printable(const std::string& text);

}  // namespace trestle::app
