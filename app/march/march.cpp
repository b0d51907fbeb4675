#include "app/march/march.hpp"

#include <algorithm>
#include <cmath>

#include "app/state/run_control.hpp"

namespace trestle::app {
namespace {

constexpr double same_time = 1e-9;  // relative difference of times that are one

/// Times, or parts of the load, up to the end.
std::vector<double> stops_to(double end, const io::Case& c) {
  std::vector<double> times = c.output.times;
  if (c.output.every > 0)
    for (double k = 1; k * c.output.every < end; ++k) times.push_back(k * c.output.every);
  for (const io::Expectation& expectation : c.expect)
    if (expectation.time) times.push_back(*expectation.time);
  times.push_back(end);
  std::sort(times.begin(), times.end());
  const auto same = [end](double a, double b) { return b - a <= same_time * end; };
  times.erase(std::unique(times.begin(), times.end(), same), times.end());
  while (!times.empty() && times.front() <= same_time * end) times.erase(times.begin());
  times.back() = end;
  return times;
}

}  // namespace

std::vector<double> output_times(const io::Case& c) { return stops_to(c.problem.analysis.end, c); }

std::vector<physics::DataBreak> breaks_to_hit(const io::Case& c) {
  const physics::AnalysisOptions& options = c.problem.analysis;
  if (options.scheme != physics::TimeScheme::crank_nicolson) return {};
  return physics::data_breaks(c.problem, options.end, options.step);
}

std::vector<double> output_loads(const io::Case& c) { return stops_to(1, c); }

bool writes_load_path(const io::Case& c) {
  return c.problem.analysis.type == physics::AnalysisType::static_ &&
         (c.output.every > 0 || !c.output.times.empty() ||
          std::any_of(c.expect.begin(), c.expect.end(),
                      [](const io::Expectation& one) { return one.time.has_value(); }));
}

int most_states(const io::Case& c) {
  constexpr double most = 20000;            // what io/case/output.cpp lets a case ask for
  constexpr double most_of_unknown = 4000;  // the file is laid out for all of them beforehand
  const physics::AnalysisOptions& options = c.problem.analysis;
  const double n_stops = static_cast<double>(output_times(c).size() + breaks_to_hit(c).size());
  // Steps that are cut or that adapt themselves may be more: the march says so where it is full.
  const double n = c.output.every > 0 || !c.output.times.empty() ? n_stops
                   : options.tolerance > 0 || options.step == 0
                       ? most_of_unknown
                       : std::ceil(options.end / options.step) + 3 * n_stops + 8;
  return static_cast<int>(std::min(n + 1, most));
}

double planned_states(const io::Case& c) {
  const physics::AnalysisOptions& options = c.problem.analysis;
  if (c.output.every > 0 || !c.output.times.empty())
    return 1 + static_cast<double>(output_times(c).size());
  if (options.tolerance > 0 || options.step == 0) return 0;
  return 1 + std::ceil(options.end / options.step);
}

solver::SolverOptions solver_options(const MarchParts& parts) {
  solver::SolverOptions options = parts.c.solver;
  options.set_up_observer = [&control = parts.control] { control.stop().check(); };
  return options;
}

void march(const MarchParts& parts, StateSink& output) {
  if (parts.analysis.heat() != nullptr)
    march_thermoelastic(parts, output);
  else if (parts.analysis.n_components() == 1)
    march_rates(parts, output);
  else
    march_motion(parts, output);
}

}  // namespace trestle::app
