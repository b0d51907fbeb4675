// Marches of first order in time: heat, transport, flow through porous media.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "app/march/step_march.hpp"
#include "app/measure.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/initial_state.hpp"
#include "physics/models/heat.hpp"
#include "physics/results/flow_balance.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/matrix/vector_kernels.hpp"
#include "solver/steps/rate_scheme.hpp"

namespace trestle::app {
namespace {

using solver::Vector;

/// Watches a scalar field that has no source: it stays between what it starts from and what its
/// surroundings have [Hughes 2000, sec. 8.2], unless a scheme rings or a step is too short for a
/// consistent capacity.
class OvershootWatch {
 public:
  OvershootWatch(const physics::Analysis& analysis, const Vector<double>& start)
      : analysis_(analysis) {
    const physics::Problem& problem = analysis.problem();
    // Advection has its own overshoots at layers, gravity its own gradient, and what is released,
    // pumped or consumed is a source.
    const std::set<std::string> sources{"flux", "source", "heat", "release", "well"};
    active_ =
        problem.gravity == std::array<double, 3>{} &&
        std::none_of(problem.materials.begin(), problem.materials.end(),
                     [](const auto& material) {
                       return material.parameters.find("velocity") != material.parameters.end() ||
                              material.parameters.find("reaction") != material.parameters.end();
                     }) &&
        std::none_of(problem.conditions.begin(), problem.conditions.end(),
                     [&](const auto& condition) { return sources.contains(condition.type); });
    if (active_) allowed_.take(range_of(start));
  }
  void look(const Vector<double>& u, double time) {
    if (!active_) return;
    allowed_.take(analysis_.data_range());
    const std::array<double, 2> range = range_of(u);
    const double beyond = std::max(allowed_.low - range[0], range[1] - allowed_.high);
    const double nothing = 1e-6 * allowed_.width() + ValueRange::rounding * allowed_.magnitude();
    if (beyond <= nothing || beyond <= worst_) return;
    worst_ = beyond;
    worst_time_ = time;
  }
  void visit(solver::StateVisitor& visitor) {
    allowed_.visit("overshoot.allowed", visitor);
    visitor.value("overshoot.worst", worst_);
    visitor.value("overshoot.worst_time", worst_time_);
  }
  std::vector<std::string> warnings() const {
    if (worst_ == 0) return {};
    const physics::Description& physics = analysis_.description();
    const bool rings = analysis_.problem().analysis.scheme == physics::TimeScheme::crank_nicolson;
    return {fmt::format(
        "the {0} left the range of its data, {2:g} to {3:g} {1}, by up to {4:.3g} {1} (at {5:g} "
        "s), which nothing real does: {7}short steps make a consistent {6} overshoot; take "
        "{8}mass: "
        "lumped, finer cells, or longer first steps",
        physics.field, physics.field_unit, allowed_.low, allowed_.high, worst_, worst_time_,
        physics.name == physics::heat().name ? "capacity" : "storage",
        rings ? "a sudden change that crank_nicolson has not seen coming makes it ring, and " : "",
        rings ? "scheme: backward_euler or bdf2, " : "")};
  }

 private:
  const physics::Analysis& analysis_;
  bool active_;
  ValueRange allowed_;
  double worst_ = 0, worst_time_ = 0;
};

/// Steps behind a jump that Crank-Nicolson takes as two halves of backward Euler [Rannacher 1984].
constexpr int damped_steps = 2;

/// How far prescribed values are from u, and loads from others.
struct DataChange {
  double values = 0, loads = 0;
};

/// At the time `to`, at which it leaves the analysis. Collective.
DataChange data_change(physics::Analysis& analysis, const Vector<double>& u,
                       const Vector<double>& loads, double to) {
  analysis.set_time(to);
  Vector<double> moved(u.device(), u.shared_map(), u.block(), "time steps");
  gpu::copy(u.device(), u.view(), moved.view());
  analysis.constraints().impose(moved);
  gpu::axpy(u.device(), -1, u.view(), moved.view());
  Vector<double> others = analysis.external(0, u);
  gpu::axpy(u.device(), -1, loads.owned(), others.owned());
  std::array<double, 2> sizes{solver::largest(u.device(), std::as_const(moved).owned()),
                              solver::largest(u.device(), std::as_const(others).owned())};
  u.map().comm().max(std::span<double>(sizes));
  return {sizes[0], sizes[1]};
}

/// Whether prescribed values leave u behind, or loads change, at once: from one time to the other
/// [s] and a millionth of a step [s] behind it by more than a hundredth of what they do in all of
/// the step. Leaves the analysis at another time. Collective.
bool data_jump(physics::Analysis& analysis, const Vector<double>& u,
               const physics::DataBreak& moment, double step) {
  constexpr double behind = 1e-6, sudden = 1e-2, rounding = 1e-9;
  analysis.set_time(moment.from);
  const Vector<double> loads = analysis.external(0, u);
  const double size_u = solver::root_mean_square(u);
  const double size_loads = u.map().comm().max(solver::largest(u.device(), loads.owned()));
  const DataChange at_once = data_change(analysis, u, loads, moment.until + behind * step);
  const DataChange in_step = data_change(analysis, u, loads, moment.until + step);
  const auto jumps = [&](double now, double later, double size) {
    return now > sudden * later && now > rounding * std::max(size, later);
  };
  return jumps(at_once.values, in_step.values, size_u) ||
         jumps(at_once.loads, in_step.loads, size_loads);
}

std::vector<double> times_of(const std::vector<physics::DataBreak>& breaks) {
  std::vector<double> times;
  for (const physics::DataBreak& one : breaks) times.push_back(one.from);
  return times;
}

class RateMarch final : public StepMarch {
 public:
  RateMarch(const MarchParts& parts, StateSink& output, std::vector<physics::DataBreak> breaks)
      : StepMarch(parts, output,
                  physics::initial_field(parts.analysis, parts.analysis.description().field, 0),
                  parts.c.problem.analysis.scheme == physics::TimeScheme::backward_euler ? 1 : 2,
                  times_of(breaks)),
        breaks_(std::move(breaks)),
        scheme_(rate_kind(options().scheme), u_, initial_rate()),
        content_(copy_of(u_)),
        offset_(copy_of(u_)),
        balance_(parts.analysis, equations_, scheme_, u_, initial_storage()),
        overshoot_(parts.analysis, u_) {}

 private:
  /// u' at time 0, which only Crank-Nicolson asks for: prescribed values move as in the first step.
  Vector<double> initial_rate() {
    Vector<double> rate(u_.device(), u_.shared_map(), u_.block(), "time steps");
    gpu::fill(u_.device(), rate.view(), 0.0);
    if (rate_kind(options().scheme) != solver::RateKind::crank_nicolson) return rate;
    const auto scope = parts_.timers.time("assemble");
    const Vector<double>& prescribed = parts_.analysis.constraints().prescribed();
    parts_.analysis.set_time(options().step);
    gpu::axpy(u_.device(), 1 / options().step, prescribed.view(), rate.view());
    parts_.analysis.set_time(0);
    gpu::axpy(u_.device(), -1 / options().step, prescribed.view(), rate.view());
    equations_.solve_rate(u_, nullptr, rate);
    return rate;
  }

  /// What the body stores per time at time 0; 0 where no scheme asks for it.
  double initial_storage() {
    if (rate_kind(options().scheme) != solver::RateKind::crank_nicolson) return 0;
    gpu::fill(u_.device(), offset_.view(), 1.0);
    equations_.apply_mass(scheme_.last_rate(), content_);
    return solver::dot(offset_, content_);
  }

  solver::StepForm begin(double length) override {
    solver::StepForm form = scheme_.begin(length, halved());
    if (capacity_.latent_heat() == nullptr && capacity_.enthalpy() == nullptr) return form;
    gpu::fill(u_.device(), offset_.view(), 0.0);
    const std::vector<double>& weights = scheme_.past().weights;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      equations_.content(scheme_.state(k), content_);
      gpu::axpy(u_.device(), weights[k], std::as_const(content_).owned(), offset_.owned());
    }
    form.content_offset = &offset_;
    return form;
  }
  void predict(Vector<double>& u) const override { scheme_.predict(u); }
  double error(const Vector<double>& u) const override { return scheme_.error(u); }
  void accept(const Vector<double>& u, io::StepResult& step) override {
    balance_.add(u, step.step);
    const physics::Flows flows = balance_.flows();
    step.flows = {flows.stored, flows.loads, flows.supports, flows.carried, flows.imbalance()};
    parts_.report.flows = step.flows;
    parts_.report.flows_unit = parts_.analysis.description().amount_unit;
    scheme_.accept(u);
    overshoot_.look(u, step.time);
  }
  physics::State make_state(Vector<double> u) override {
    std::optional<Vector<double>> reactions;
    if (asks_reactions(parts_.c)) reactions = equations_.reactions(u);
    return physics::make_state(parts_.analysis, std::move(u), std::move(reactions));
  }
  const Vector<double>& last() const override { return scheme_.last(); }
  void visit_scheme(solver::StateVisitor& visitor) override {
    scheme_.visit(visitor);
    balance_.visit(visitor);
    overshoot_.visit(visitor);
  }
  void reach_stop() override {
    if (rate_kind(options().scheme) != solver::RateKind::crank_nicolson) return;
    const std::optional<physics::DataBreak> known = break_at(time());
    const physics::DataBreak moment = known.value_or(physics::DataBreak{time(), time()});
    if (data_jump(parts_.analysis, u_, {data_time(time()), moment.until}, step_length()))
      halve_steps(damped_steps);
    set_time(time());
  }
  /// A step that ends where data jump has the old ones, however they are written at that time.
  void set_time(double time) override { StepMarch::set_time(data_time(time)); }
  double data_time(double time) const {
    const std::optional<physics::DataBreak> known = break_at(time);
    return known ? known->from : time;
  }
  std::optional<physics::DataBreak> break_at(double time) const {
    for (const physics::DataBreak& one : breaks_)
      if (std::abs(one.from - time) <= same_time(options())) return one;
    return std::nullopt;
  }
  void finish() override { warn(overshoot_.warnings(), parts_.console, parts_.report); }

  std::vector<physics::DataBreak> breaks_;
  solver::RateScheme scheme_;
  Vector<double> content_, offset_;  // of enthalpy and latent heat, and what the form has of it
  physics::FlowBalance balance_;
  OvershootWatch overshoot_;
};

}  // namespace

solver::RateKind rate_kind(physics::TimeScheme scheme) {
  switch (scheme) {
    case physics::TimeScheme::backward_euler:
      return solver::RateKind::backward_euler;
    case physics::TimeScheme::crank_nicolson:
      return solver::RateKind::crank_nicolson;
    default:
      return solver::RateKind::bdf2;
  }
}

void march_rates(const MarchParts& parts, StateSink& output) {
  RateMarch(parts, output, breaks_to_hit(parts.c)).run();
}

}  // namespace trestle::app
