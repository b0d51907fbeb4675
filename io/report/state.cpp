#include "io/report/state.hpp"

#include "core/error.hpp"

namespace trestle::io {
namespace {

/// Numbers and texts one after another, into two lists or out of them.
class Pack {
 public:
  explicit Pack(bool loading) : loading_(loading) {}

  std::vector<double> numbers;
  std::vector<std::string> texts;

  template <class... Values>
  void operator()(Values&... values) {
    (pass(values), ...);
  }
  /// A list: its length, then `each(item)` of all.
  template <class Item, class Each>
  void list(std::vector<Item>& items, const Each& each) {
    std::size_t n = items.size();
    pass(n);
    require(!loading_ || n <= numbers.size() + texts.size(), ExitCode::no_checkpoint,
            "the report in the checkpoint is damaged; --overwrite begins anew");
    items.resize(n);
    for (Item& item : items) each(item);
  }

 private:
  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void pass(Number& value) {
    if (!loading_) return numbers.push_back(static_cast<double>(value));
    require(next_number_ < numbers.size(), ExitCode::no_checkpoint,
            "the report in the checkpoint is of another version; --overwrite begins anew");
    value = static_cast<Number>(numbers[next_number_++]);
  }
  void pass(std::string& text) {
    if (!loading_) return texts.push_back(text);
    require(next_text_ < texts.size(), ExitCode::no_checkpoint,
            "the report in the checkpoint is of another version; --overwrite begins anew");
    text = texts[next_text_++];
  }
  template <class Value>
  void pass(std::vector<Value>& values) {
    list(values, [&](Value& value) { pass(value); });
  }
  template <class Value, std::size_t n>
  void pass(std::array<Value, n>& values) {
    for (Value& value : values) pass(value);
  }

  bool loading_;
  std::size_t next_number_ = 0, next_text_ = 0;
};

void pack_energy(Pack& pack, StepEnergy& energy) {
  pack(energy.kinetic, energy.internal, energy.external, energy.damping, energy.imbalance);
}

void pack_steps(Pack& pack, Report& report) {
  pack.list(report.steps, [&](StepResult& step) {
    pack(step.number, step.time, step.step, step.accepted, step.newton_iterations,
         step.linear_iterations, step.residual, step.error, step.wall_s);
    pack_energy(pack, step.energy);
  });
  StepTotals& totals = report.step_totals;
  pack(totals.accepted, totals.refused, totals.newton_iterations, totals.wall_s);
  bool has_energy = report.energy.has_value();
  pack(has_energy);
  if (!has_energy) return;
  if (!report.energy) report.energy.emplace();
  pack_energy(pack, *report.energy);
}

void pack_solves(Pack& pack, Report& report) {
  pack.list(report.solves, [&](solver::SolveResult& solve) {
    pack(solve.reason, solve.converged, solve.method, solve.preconditioner, solve.precision,
         solve.choice, solve.message, solve.iterations, solve.true_relative_residual,
         solve.backward_error, solve.zero_pivots, solve.near_null_vectors, solve.history,
         solve.setup_s, solve.solve_s);
    pack.list(solve.levels,
              [&](solver::MultigridLevel& level) { pack(level.unknowns, level.entries); });
  });
  pack(report.solve_names, report.unlisted_solves);
}

void pack_results(Pack& pack, Report& report) {
  pack.list(report.probes, [&](ProbeResult& probe) {
    pack(probe.load_case, probe.name, probe.of, probe.at, probe.values, probe.region, probe.note,
         probe.time);
  });
  pack.list(report.integrals, [&](IntegralResult& integral) {
    pack(integral.load_case, integral.name, integral.of, integral.on, integral.values,
         integral.time);
  });
  pack.list(report.extremes, [&](ExtremeResult& extreme) {
    pack(extreme.load_case, extreme.of, extreme.component, extreme.minimum, extreme.maximum,
         extreme.minimum_at, extreme.maximum_at, extreme.minimum_node, extreme.maximum_node,
         extreme.time);
  });
}

void pack_norms(Pack& pack, Report& report) {
  std::vector<std::string> names;
  std::vector<double> norms;
  for (const auto& [name, norm] : report.solution_l2) {
    names.push_back(name);
    norms.push_back(norm);
  }
  pack(names, norms);
  report.solution_l2.clear();
  for (std::size_t i = 0; i < names.size(); ++i) report.solution_l2[names[i]] = norms[i];
}

}  // namespace

void visit(solver::StateVisitor& visitor, Report& report) {
  const bool loading = visitor.loading();
  Pack pack(loading);
  if (loading) {
    visitor.values("report.numbers", pack.numbers);
    visitor.values("report.texts", pack.texts);
  }
  pack_steps(pack, report);
  pack_solves(pack, report);
  pack_results(pack, report);
  pack_norms(pack, report);
  if (!loading) {
    visitor.values("report.numbers", pack.numbers);
    visitor.values("report.texts", pack.texts);
  }
}

}  // namespace trestle::io
