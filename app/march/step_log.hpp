// StepLog: what the console and the report tell of steps and their iterations.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/console.hpp"
#include "core/timers.hpp"
#include "io/report/report.hpp"
#include "solver/steps/newton.hpp"

namespace trestle::app {

/// Keeps the first and the last solves of a run of many.
void add_solve(const solver::SolveResult& solve, std::string name, io::Report& report);

class StepLog {
 public:
  /// `unit` of what the steps go through: "s", or "" for a load factor.
  StepLog(double end, std::string unit, Timers& timers, Console& console, io::Report& report);

  /// A step to `time` begins.
  void start(int number, double time, double length);
  /// Called after each correction of the step.
  void iteration(int number, double residual);
  /// What is recorded of the present step.
  io::StepResult& step() { return step_; }
  /// The step has ended; refused ones are told with their reason, and with the cell at fault: of
  /// those that fail one after another for one reason the first, and how many they were.
  void accept(const solver::NewtonResult& newton, double error);
  void refuse(const solver::NewtonResult& newton, double error, const std::string& fault);
  /// Tells of refusals that were not told, at the end of a run.
  void finish();
  /// Whether the last two refusals had the very same fault before a correction: of data that have
  /// no value however short the step is.
  bool is_hopeless() const { return hopeless_; }

 private:
  using Clock = std::chrono::steady_clock;
  void record(const solver::NewtonResult& newton, double error, bool accepted);

  double end_;
  std::string unit_;
  Timers& timers_;
  Console& console_;
  io::Report& report_;
  io::StepResult step_;
  std::optional<solver::NewtonReason> told_;  // of the refusal that was told last, of this step
  std::string fault_;                         // of the last refusal
  bool hopeless_ = false;
  int n_untold_ = 0;
  Clock::time_point start_;
};

}  // namespace trestle::app
