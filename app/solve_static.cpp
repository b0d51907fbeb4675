#include "app/solve_static.hpp"

#include <algorithm>
#include <memory>

#include "app/solve_cases.hpp"

namespace trestle::app {
namespace {

/// A state for every load case of one field.
std::vector<physics::State> solve_field(const MarchParts& parts) {
  if (parts.analysis.linear())
    return solve_cases(parts.c, parts.analysis, parts.control, parts.timers, parts.console,
                       parts.report);
  std::vector<physics::State> one;
  one.push_back(solve_nonlinear(parts));
  return one;
}

}  // namespace

std::vector<physics::State> solve_static(const MarchParts& parts) {
  physics::Analysis& analysis = parts.analysis;
  std::vector<std::shared_ptr<const physics::State>> heat;
  if (analysis.heat() != nullptr) {
    // Checkpoints hold the load steps of the solid; its temperatures are found anew.
    const MarchParts of_heat{parts.c,      *analysis.heat(), parts.timers, parts.console,
                             parts.report, parts.control,    nullptr};
    for (physics::State& state : solve_field(of_heat))
      heat.push_back(std::make_shared<const physics::State>(std::move(state)));
    const auto scope = parts.timers.time("assemble");
    for (std::size_t k = 0; k < analysis.n_cases(); ++k)
      analysis.set_temperature(k, heat[std::min(k, heat.size() - 1)]->u);
  }
  std::vector<physics::State> states = solve_field(parts);
  for (std::size_t k = 0; k < states.size() && !heat.empty(); ++k)
    states[k].heat = heat[std::min(k, heat.size() - 1)];
  for (const physics::Combination& combination : parts.c.problem.combinations)
    states.push_back(physics::combine(analysis, combination, states));
  return states;
}

}  // namespace trestle::app
