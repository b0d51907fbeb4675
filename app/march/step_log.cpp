#include "app/march/step_log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trestle::app {

void add_solve(const solver::SolveResult& solve, std::string name, io::Report& report) {
  constexpr std::size_t listed_solves = 20;  // at each end of a long run
  if (report.solves.size() >= 2 * listed_solves) {
    report.solves.erase(report.solves.begin() + listed_solves);
    report.solve_names.erase(report.solve_names.begin() + listed_solves);
    ++report.unlisted_solves;
  }
  report.solves.push_back(solve);
  report.solve_names.push_back(std::move(name));
}

StepLog::StepLog(double end, std::string unit, Timers& timers, Console& console, io::Report& report)
    : end_(end),
      unit_(unit.empty() ? "" : " " + unit),
      timers_(timers),
      console_(console),
      report_(report) {}

void StepLog::start(int number, double time, double length) {
  step_ = {};
  step_.number = number;
  step_.time = time;
  step_.step = length;
  start_ = Clock::now();
}

void StepLog::iteration(int number, double residual) {
  console_.step(step_.time / end_,
                fmt::format("step {} to {:.6g}{}: correction {}, residual {:.2e}", step_.number,
                            step_.time, unit_, number, residual));
}

void StepLog::record(const solver::NewtonResult& newton, double error, bool accepted) {
  step_.accepted = accepted;
  step_.newton_iterations = static_cast<int>(newton.iterations.size());
  step_.linear_iterations = newton.linear_iterations;
  step_.residual = newton.residual;
  step_.error = error;
  step_.wall_s = std::chrono::duration<double>(Clock::now() - start_).count();
  timers_.add("setup", newton.setup_s);
  timers_.add("solve", newton.solve_s);
  timers_.add("assemble", std::max(0.0, step_.wall_s - newton.setup_s - newton.solve_s));
  if (report_.solves.empty() && !newton.last_solve.choice.empty())
    console_.line("solver: auto took " + newton.last_solve.choice);
  report_.steps.push_back(step_);
  report_.step_totals.add(step_);
  if (step_.newton_iterations == 0) return;
  solver::SolveResult solve = newton.last_solve;
  solve.iterations = newton.linear_iterations;
  solve.setup_s = newton.setup_s;
  solve.solve_s = newton.solve_s;
  add_solve(solve, fmt::format("step {}", step_.number), report_);
}

void StepLog::accept(const solver::NewtonResult& newton, double error) {
  finish();
  fault_.clear();
  record(newton, error, true);
}

void StepLog::finish() {
  if (n_untold_ > 0)
    console_.line(
        fmt::format("step {} was refused {} for the same reason", step_.number,
                    n_untold_ == 1 ? "once more" : fmt::format("{} times more", n_untold_)));
  n_untold_ = 0;
  told_.reset();
}

void StepLog::refuse(const solver::NewtonResult& newton, double error, const std::string& fault) {
  record(newton, error, false);
  hopeless_ = newton.iterations.empty() && !newton.fault.empty() && newton.fault == fault_;
  fault_ = newton.fault;
  if (told_ == newton.reason) {
    ++n_untold_;
    return;
  }
  finish();
  told_ = newton.reason;
  const std::string why = newton.converged
                              ? fmt::format("its error {:.2e} is above the tolerance", error)
                              : newton.message + (fault.empty() ? "" : "; " + fault);
  console_.line(
      fmt::format("step {} to {:.6g}{} is refused: {}", step_.number, step_.time, unit_, why));
}

}  // namespace trestle::app
