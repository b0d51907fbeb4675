#include "app/solve_static.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/evaluate.hpp"
#include "app/march/steps.hpp"
#include "app/solve_cases.hpp"

namespace trestle::app {
namespace {

using physics::Analysis;
using physics::State;
using solver::Vector;

using States = std::shared_ptr<std::vector<State>>;

/// The load cases of linear fields, one after another: a checkpoint holds the solutions of those
/// that are done.
class LinearFields {
 public:
  LinearFields(const MarchParts& parts, std::vector<Analysis*> fields)
      : parts_(parts),
        fields_(std::move(fields)),
        steps_(parts_, [this](solver::StateVisitor& visitor) { visit(visitor); }) {
    steps_.begin();
  }

  /// A state for every load case of the next field.
  States solve_next() {
    Analysis& field = *fields_[solved_.size()];
    States states = solved_.emplace_back(std::make_shared<std::vector<State>>());
    while (states->size() < field.n_cases() && n_used_ < loaded_.size())
      states->push_back(physics::make_state(field, states->size(), std::move(loaded_[n_used_++]),
                                            asks_reactions(parts_.c)));
    const MarchParts of_field{parts_.c,      field,          parts_.timers,     parts_.console,
                              parts_.report, parts_.control, parts_.checkpoints};
    const auto around = [this](const std::function<void()>& solve) {
      steps_.take(progress(), solve);
      steps_.taken(progress(), static_cast<double>(n_cases()));
    };
    solve_cases(of_field, around, *states);
    return states;
  }

 private:
  std::size_t n_cases() const {
    std::size_t n = 0;
    for (const Analysis* field : fields_) n += field->n_cases();
    return n;
  }
  std::size_t n_solved() const {
    std::size_t n = 0;
    for (const States& states : solved_) n += states->size();
    return n;
  }
  /// Never done: after the last load case a run may be asked to stop too, before it writes results.
  Progress progress() const {
    return {static_cast<std::int64_t>(n_solved()), static_cast<double>(n_solved()), false};
  }

  void visit(solver::StateVisitor& visitor) {
    std::size_t n = n_solved();
    visitor.number("cases.n_solved", n);
    std::vector<Vector<double>*> solutions;
    if (visitor.loading()) {
      make_vectors(n);
      for (Vector<double>& u : loaded_) solutions.push_back(&u);
    }
    for (const States& states : solved_)
      for (State& state : *states) solutions.push_back(&state.u);
    for (std::size_t i = 0; i < n; ++i) visitor.nodal(fmt::format("cases.u.{}", i), *solutions[i]);
  }

  /// For the first `n` load cases of all fields.
  void make_vectors(std::size_t n) {
    for (const Analysis* field : fields_)
      for (std::size_t k = 0; k < field->n_cases() && loaded_.size() < n; ++k)
        loaded_.emplace_back(field->discretisation().device(), field->mesh().nodes,
                             field->n_components(), "solution");
  }

  const MarchParts& parts_;
  std::vector<Analysis*> fields_;
  Steps steps_;
  std::vector<States> solved_;          // by field
  std::vector<Vector<double>> loaded_;  // from the checkpoint
  std::size_t n_used_ = 0;              // of these
};

/// The states of one field by itself.
States solve_field(const MarchParts& parts) {
  if (parts.analysis.linear()) return LinearFields(parts, {&parts.analysis}).solve_next();
  const auto states = std::make_shared<std::vector<State>>();
  states->push_back(solve_nonlinear(parts));
  return states;
}

void set_temperatures(Analysis& analysis, const std::vector<State>& of_heat, Timers& timers) {
  const auto scope = timers.time("assemble");
  for (std::size_t k = 0; k < analysis.n_cases(); ++k)
    analysis.set_temperature(k, of_heat[std::min(k, of_heat.size() - 1)].u);
}

/// The states of the solid, with those of its heat.
std::vector<State> solve_thermoelastic(const MarchParts& parts) {
  Analysis& analysis = parts.analysis;
  Analysis& heat = *analysis.heat();
  States of_heat, of_solid;
  if (heat.linear() && analysis.linear()) {
    LinearFields both(parts, {&heat, &analysis});
    of_heat = both.solve_next();
    set_temperatures(analysis, *of_heat, parts.timers);
    of_solid = both.solve_next();
  } else {
    // A checkpoint holds what is solved of the solid; the temperatures are found anew.
    of_heat = solve_field(
        {parts.c, heat, parts.timers, parts.console, parts.report, parts.control, nullptr});
    set_temperatures(analysis, *of_heat, parts.timers);
    of_solid = solve_field(parts);
  }
  for (std::size_t k = 0; k < of_solid->size(); ++k)
    (*of_solid)[k].heat = {of_heat, &(*of_heat)[std::min(k, of_heat->size() - 1)]};
  return std::move(*of_solid);
}

}  // namespace

std::vector<State> solve_static(const MarchParts& parts) {
  std::vector<State> states = parts.analysis.heat() != nullptr ? solve_thermoelastic(parts)
                                                               : std::move(*solve_field(parts));
  for (const physics::Combination& combination : parts.c.problem.combinations)
    states.push_back(physics::combine(parts.analysis, combination, states));
  return states;
}

}  // namespace trestle::app
