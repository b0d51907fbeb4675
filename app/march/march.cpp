#include "app/march/march.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/state/run_control.hpp"

namespace trestle::app {
namespace {

/// Times, or parts of the load, up to the end.
std::vector<double> stops_to(double end, const io::Case& c) {
  std::vector<double> times = c.output.times;
  if (c.output.every > 0)
    for (double k = 1; k * c.output.every < end; ++k) times.push_back(k * c.output.every);
  for (const io::Expectation& expectation : c.expect)
    if (expectation.time) times.push_back(*expectation.time);
  times.push_back(end);
  std::sort(times.begin(), times.end());
  const auto same = [end](double a, double b) { return b - a <= io::same_output_time * end; };
  times.erase(std::unique(times.begin(), times.end(), same), times.end());
  while (!times.empty() && times.front() <= io::same_output_time * end) times.erase(times.begin());
  times.back() = end;
  return times;
}

double n_behind(const std::vector<double>& stops, double time) {
  return static_cast<double>(stops.end() - std::upper_bound(stops.begin(), stops.end(), time));
}

/// Whether the number of states does not follow from the case.
bool has_unknown_steps(const io::Case& c) {
  const physics::AnalysisOptions& options = c.problem.analysis;
  return c.output.every == 0 && c.output.times.empty() &&
         (options.tolerance > 0 || options.step == 0);
}

/// The times that the expectations add to those of the output, ascending.
std::vector<double> added_times(const io::Case& c, double end) {
  const physics::AnalysisOptions& options = c.problem.analysis;
  const double near = io::same_output_time * end;
  const bool every_step = options.type == physics::AnalysisType::transient && c.output.every == 0 &&
                          c.output.times.empty() && options.tolerance == 0;
  const double every = every_step ? options.step : c.output.every;
  const auto is_asked = [&](double time) {
    if (time <= near || time >= end - near) return true;
    if (every > 0 && std::abs(std::remainder(time, every)) <= near) return true;
    return std::any_of(c.output.times.begin(), c.output.times.end(),
                       [&](double one) { return std::abs(one - time) <= near; });
  };
  std::set<double> added;
  for (const io::Expectation& expectation : c.expect)
    if (expectation.time && !is_asked(*expectation.time)) added.insert(*expectation.time);
  return {added.begin(), added.end()};
}

/// At most so many states are written behind `time`, but for steps that adapt themselves.
double most_behind(const io::Case& c, double time) {
  double n_stops = n_behind(output_times(c), time);
  for (const physics::DataBreak& one : breaks_to_hit(c)) n_stops += one.until > time ? 1 : 0;
  if (c.output.every > 0 || !c.output.times.empty()) return n_stops;
  // Steps that are cut may be more: the march says so where it is full.
  const physics::AnalysisOptions& options = c.problem.analysis;
  return std::ceil((options.end - time) / options.step) + 3 * n_stops;
}

/// Adaptive steps get a file of so many states, a larger one when less than half of it is left.
double most_of_unknown(const WrittenStates& written) {
  constexpr double most = 4000;  // the file is laid out for all of them beforehand
  return most * std::ceil((written.n + most / 2) / most);
}

}  // namespace

std::vector<double> output_times(const io::Case& c) { return stops_to(c.problem.analysis.end, c); }

std::string note_of_expected_times(const io::Case& c) {
  const bool in_time = c.problem.analysis.type == physics::AnalysisType::transient;
  const std::vector<double> added = added_times(c, in_time ? c.problem.analysis.end : 1);
  if (added.empty()) return "";
  return fmt::format(
      "a step ends, and results are written, at {:g}{}, too, because a value is expected there",
      fmt::join(added, ", "), in_time ? " s" : " of the load");
}

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

int most_states(const io::Case& c, const WrittenStates& written) {
  constexpr double most = 20000;  // what io/case/output.cpp lets a case ask for
  if (has_unknown_steps(c)) return static_cast<int>(most_of_unknown(written));
  const double spare = c.output.every > 0 || !c.output.times.empty() ? 0 : 8;
  const double unbroken = std::min(1 + most_behind(c, 0) + spare, most);
  const double to_come = std::min(written.unwritten + most_behind(c, written.time), most);
  return static_cast<int>(written.n == 0 ? unbroken : std::max(unbroken, written.n + to_come));
}

int most_loads(const io::Case& c, const WrittenStates& written) {
  const std::vector<double> loads = output_loads(c);
  return static_cast<int>(
      std::max(static_cast<double>(loads.size()), written.n + n_behind(loads, written.time)));
}

double planned_states(const io::Case& c, const WrittenStates& written) {
  const physics::AnalysisOptions& options = c.problem.analysis;
  const double first = written.n == 0 ? 1 : 0;
  if (c.output.every > 0 || !c.output.times.empty())
    return first + n_behind(output_times(c), written.time);
  if (has_unknown_steps(c)) return 0;
  return first + std::ceil((options.end - written.time) / options.step);
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
