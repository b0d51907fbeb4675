#include "io/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/escape.hpp"
#include "io/files.hpp"

namespace trestle::io {

RecoveryTotals totals_of(const std::vector<StartResult>& starts) {
  RecoveryTotals totals;
  for (const StartResult& start : starts) {
    totals.work_s += start.wall_s;
    totals.lost_s += start.lost_s;
    if (&start != &starts.front()) totals.repeated_s += start.setup_s;
    totals.save_s += start.save_s;
    totals.saves += start.saves;
    totals.failed_saves += start.failed_saves;
    totals.rank_hours += start.wall_s * start.ranks / 3600;
  }
  return totals;
}

double unknowns_per_second(const Report& report) {
  const auto n_solves = static_cast<double>(std::max<std::size_t>(1, report.n_solves()));
  return report.wall_s > 0 ? static_cast<double>(report.dofs) * n_solves / report.wall_s : 0;
}

std::string report_history(const Report& report) {
  std::string text =
      "step,name,method,preconditioner,precision,iterations,converged,true_relative_residual,"
      "setup_s,solve_s\n";
  for (std::size_t i = 0; i < report.solves.size(); ++i) {
    const solver::SolveResult& solve = report.solves[i];
    text += fmt::format("{},{},{},{},{},{},{},{:.6g},{:.6g},{:.6g}\n", i,
                        escape_csv(i < report.solve_names.size() ? report.solve_names[i] : ""),
                        escape_csv(solve.method), escape_csv(solve.preconditioner), solve.precision,
                        solve.iterations, solve.converged ? 1 : 0, solve.true_relative_residual,
                        solve.setup_s, solve.solve_s);
  }
  return text;
}

void StepTotals::add(const StepResult& step) {
  ++(step.accepted ? accepted : refused);
  newton_iterations += step.newton_iterations;
  wall_s += step.wall_s;
}

std::string report_steps(const Report& report) {
  std::string text =
      "step,time,length,accepted,newton_iterations,linear_iterations,residual,error,wall_s";
  if (report.energy) text += ",kinetic,internal,external,damping,imbalance";
  if (report.flows) text += ",stored,loads,supports,carried,imbalance";
  text += "\n";
  for (const StepResult& step : report.steps) {
    text += fmt::format("{},{:.17g},{:.17g},{},{},{},{:.6g},{:.6g},{:.6g}", step.number, step.time,
                        step.step, step.accepted ? 1 : 0, step.newton_iterations,
                        step.linear_iterations, step.residual, step.error, step.wall_s);
    if (report.energy)
      text += fmt::format(",{:.12g},{:.12g},{:.12g},{:.12g},{:.3e}", step.energy.kinetic,
                          step.energy.internal, step.energy.external, step.energy.damping,
                          step.energy.imbalance);
    if (report.flows)
      text += fmt::format(",{:.12g},{:.12g},{:.12g},{:.12g},{:.3e}", step.flows.stored,
                          step.flows.loads, step.flows.supports, step.flows.carried,
                          step.flows.imbalance);
    text += "\n";
  }
  return text;
}

void write_report(const Report& report, const std::string& directory) {
  write_text_file(directory + "/report.json", report_json(report));
  write_text_file(directory + "/report.html", report_html(report));
  write_text_file(directory + "/history.csv", report_history(report));
  if (!report.steps.empty()) write_text_file(directory + "/steps.csv", report_steps(report));
}

}  // namespace trestle::io
