#include "app/solve_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/evaluate.hpp"
#include "app/measure.hpp"
#include "core/error.hpp"
#include "physics/modal.hpp"

namespace trestle::app {
namespace {

[[noreturn]] void fail(const solver::EigenResult& found) {
  throw NumericalError(
      ExitCode::diverged,
      fmt::format("modes not found: {}; {}", solver::to_string(found.reason), found.message));
}

std::string found_line(const solver::EigenResult& found) {
  if (found.method == solver::EigenMethod::lobpcg)
    return fmt::format(
        "modes: {} found by LOBPCG with multigrid, {}; shift {:.4g} 1/s^2 ({}), {} iterations, {} "
        "applications",
        found.modes.size(),
        found.complete ? "none missing by the count of negative pivots"
                       : "and a second search found none that is lower",
        found.shift, found.choice, found.iterations, found.applications);
  return fmt::format(
      "modes: {} found, none missing{}; shift {:.4g} 1/s^2 ({}), {} solves in {} restarts, {} "
      "factorisations",
      found.modes.size(), found.complete ? " by the count of negative pivots" : "", found.shift,
      found.choice, found.applications, found.restarts, found.factorisations);
}

io::ModalResult report_of(const physics::Vibrations& vibrations, const solver::EigenResult& found,
                          physics::MassKind mass) {
  io::ModalResult result;
  result.mass = mass == physics::MassKind::lumped ? "lumped" : "consistent";
  result.motions = vibrations.motions;
  result.inertia = vibrations.inertia;
  for (int d = 0; d < 3; ++d) result.centre[static_cast<std::size_t>(d)] = vibrations.centre[d];
  result.eigensolver = found.method == solver::EigenMethod::lobpcg ? "lobpcg" : "shift_invert";
  result.iterations = found.iterations;
  result.shift = found.shift;
  result.choice = found.choice;
  result.complete = found.complete;
  result.restarts = found.restarts;
  result.applications = found.applications;
  result.factorisations = found.factorisations;
  std::vector<double> sums(vibrations.motions.size(), 0.0);
  for (const physics::Vibration& vibration : vibrations.modes) {
    io::ModeResult& mode = result.modes.emplace_back();
    mode.number = static_cast<int>(result.modes.size());
    mode.frequency_hz = vibration.frequency;
    mode.eigenvalue = vibration.eigenvalue;
    mode.rigid = vibration.name;
    mode.residual = vibration.residual;
    mode.modal_mass = 1 / (vibration.largest * vibration.largest);
    mode.participation = vibration.participation;
    mode.effective_mass = vibration.effective_mass;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      sums[k] += vibration.effective_mass[k];
      mode.cumulated_fraction.push_back(sums[k] / vibrations.inertia[k]);
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> ignored_by_modes(const physics::Analysis& analysis) {
  std::set<std::string> loads;
  for (const physics::Condition& condition : analysis.problem().conditions) {
    const auto& known = analysis.description().conditions;
    const auto info = std::find_if(known.begin(), known.end(), [&](const auto& candidate) {
      return candidate.name == condition.type;
    });
    if (info != known.end() && !info->fixes_values) loads.insert(condition.type);
  }
  std::vector<std::string> warnings;
  if (!loads.empty())
    warnings.push_back(
        fmt::format("modal analysis: free vibrations have no loads; left out: {}; the stress that "
                    "they cause does not stiffen the model",
                    fmt::join(loads, ", ")));
  if (!analysis.mesh().comm().all(analysis.constraints().all_zero()))
    warnings.push_back(
        "modal analysis: supports are held; prescribed displacements other than 0 are taken as 0");
  return warnings;
}

void choose_eigensolver(io::Case& c, const MemoryEstimator& needed, const Comm& comm,
                        Console& console, io::Report& report) {
  physics::AnalysisOptions& options = c.problem.analysis;
  const bool automatic = options.eigensolver == physics::Eigensolver::automatic;
  const bool choice = automatic && physics::finds_lowest_modes(options) &&
                      c.solver.method != solver::Method::direct;
  if (options.type != physics::AnalysisType::modal ||
      (!choice && options.eigensolver != physics::Eigensolver::lobpcg))
    return;
  io::Case factored = c;
  factored.problem.analysis.eigensolver = physics::Eigensolver::shift_invert;
  const MemoryEstimate of_factors = needed(factored);
  if (fits(comm, of_factors)) return;
  options.may_factor = false;
  if (!automatic) return;
  options.eigensolver = physics::Eigensolver::lobpcg;
  warn({fmt::format("eigensolver: auto takes lobpcg: shift_invert with its factors would need {} "
                    "and does not fit into the memory that is left, lobpcg needs {}; that no mode "
                    "is missing is then searched for, not counted",
                    text_of_bytes(of_factors.total()), text_of_bytes(needed(c).total()))},
       console, report);
}

std::vector<physics::State> solve_modes(const io::Case& c, const physics::Analysis& analysis,
                                        RunControl& control, Timers& timers, Console& console,
                                        io::Report& report) {
  const physics::AnalysisOptions& options = c.problem.analysis;
  warn(ignored_by_modes(analysis), console, report);
  const std::unique_ptr<const physics::ModalProblem> problem = [&] {
    const auto scope = timers.time("assemble");
    return std::make_unique<physics::ModalProblem>(analysis, options.mass);
  }();
  control.stop().check();
  const solver::EigenResult found = problem->solve(
      options, c.solver.tolerance, [&](int, double) { control.stop().check_in_solve(); });
  timers.add("setup", found.setup_s);
  timers.add("solve", found.solve_s);
  if (!found.converged) fail(found);
  console.line(found_line(found));
  if (found.modes.empty()) warn({"no mode lies within the frequencies asked for"}, console, report);
  if (static_cast<int>(found.modes.size()) < options.modes && !options.max_frequency)
    warn({fmt::format("the model has no more than {} modes", found.modes.size())}, console, report);
  const auto scope = timers.time("output");
  report.modal = report_of(problem->describe(found), found, options.mass);
  std::vector<physics::State> states;
  for (std::size_t k = 0; k < found.modes.size(); ++k)
    states.push_back(problem->state(found, k, asks_reactions(c)));
  return states;
}

}  // namespace trestle::app
