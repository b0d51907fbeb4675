// Marches of thermoelasticity: heat in time, with the deformation that follows it.
#include <fmt/format.h>

#include <utility>

#include "app/march/step_march.hpp"
#include "app/measure.hpp"
#include "app/state/run_control.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/coupled_equations.hpp"
#include "physics/initial_state.hpp"

namespace trestle::app {
namespace {

using solver::Vector;

/// Finds the deformation at rest that belongs to each temperature that it is given.
class QuasiStatic final : public StateSink {
 public:
  QuasiStatic(const MarchParts& parts, StateSink& output)
      : c_(parts.c),
        analysis_(parts.analysis),
        control_(parts.control),
        timers_(parts.timers),
        console_(parts.console),
        report_(parts.report),
        output_(output),
        equations_(analysis_, solver_options(parts), nullptr, c_.problem.analysis.mass),
        u_(analysis_.discretisation().device(), analysis_.mesh().nodes, analysis_.n_components(),
           "solution") {
    equations_.observe_solves([this](int, double) { control_.stop().check_in_solve(); });
  }

  void add(const physics::State& heat, double time) override {
    analysis_.set_time(time);
    analysis_.set_temperature(0, heat.u);
    equations_.forces_changed();
    gpu::fill(u_.device(), u_.view(), 0.0);  // so that the past leaves no trace in the last digits
    analysis_.constraints().impose(u_);
    solver::NewtonScales scales;
    const solver::NewtonResult newton =
        solver::newton(equations_, newton_options(c_, equations_.linear()), scales, u_,
                       [this](int, double) { control_.stop().check(); });
    timers_.add("setup", newton.setup_s);
    timers_.add("solve", newton.solve_s);
    timers_.add("output", -newton.setup_s - newton.solve_s);  // around it the march counts
    if (!newton.converged)
      throw NumericalError(
          exit_code(newton.reason),
          fmt::format("the displacement at {:g} s was not found: {}", time, newton.message));
    tell(newton, time);
    physics::State state = state_at(heat);
    record_norms(analysis_, state, report_);
    output_.add(state, time);
  }
  int most_states() const override { return output_.most_states(); }

 private:
  physics::State state_at(const physics::State& heat) {
    Vector<double> u(u_.device(), u_.shared_map(), u_.block(), "solution");
    gpu::copy(u_.device(), std::as_const(u_).view(), u.view());
    physics::State state = physics::make_state(analysis_, 0, std::move(u), asks_reactions(c_));
    // The temperatures live as long as the caller's state, which outlives the output.
    state.heat = {std::shared_ptr<const void>(), &heat};
    return state;
  }

  void tell(const solver::NewtonResult& newton, double time) {
    if (std::exchange(told_, true) || newton.iterations.empty()) return;
    const solver::SolveResult& solve = newton.last_solve;
    if (!solve.choice.empty())
      console_.line("solver of the displacement: auto took " + solve.choice);
    console_.line(fmt::format("displacement at {:g} s: {} corrections, {} iterations of {} with {}",
                              time, newton.iterations.size(), newton.linear_iterations,
                              solve.method, solve.preconditioner));
  }

  const io::Case& c_;
  physics::Analysis& analysis_;
  RunControl& control_;
  Timers& timers_;
  Console& console_;
  io::Report& report_;
  StateSink& output_;
  physics::StepEquations equations_;
  Vector<double> u_;
  bool told_ = false;
};

/// Displacement and temperature as one vector, each changing the other.
class CoupledMarch final : public StepMarch {
 public:
  /// The analysis of `of_heat` is that of the heat, `analysis` the whole one.
  CoupledMarch(const MarchParts& of_heat, physics::Analysis& analysis, StateSink& output)
      : StepMarch(of_heat, output, start(analysis),
                  of_heat.c.problem.analysis.scheme == physics::TimeScheme::backward_euler ? 1 : 2),
        analysis_(analysis),
        coupled_(analysis, equations_, solver_options(of_heat)) {
    coupled_.observe_solves(
        [&control = parts_.control](int, double) { control.stop().check_in_solve(); });
    const auto scope = parts_.timers.time("assemble");
    coupled_.find_equilibrium(u_);
    Vector<double> rate = coupled_.make_vector();
    gpu::fill(rate.device(), rate.view(), 0.0);
    scheme_.emplace(rate_kind(options().scheme), u_, rate);
  }

 private:
  static Vector<double> start(const physics::Analysis& analysis) {
    const Vector<double> T = physics::initial_field(*analysis.heat(), "temperature", 0);
    const solver::FieldLayout layout{{analysis.n_components(), 1}};
    Vector<double> x(T.device(), T.shared_map(), layout.total(), "solution");
    gpu::fill(x.device(), x.view(), 0.0);
    solver::put_field(layout, 1, T, x);
    return x;
  }

  solver::NonlinearSystem& system() override { return coupled_; }
  void set_time(double time) override {
    StepMarch::set_time(time);
    analysis_.set_time(time);
  }
  void use(const solver::StepForm& form) override { coupled_.use(form); }
  void impose(Vector<double>& x) const override { coupled_.impose(x); }
  std::array<double, 2> range(const Vector<double>& x) const override {
    return range_of(coupled_.temperature(x));
  }
  void set_state(const Vector<double>& x) override {
    parts_.analysis.set_state(coupled_.temperature(x));
  }
  void record(const physics::State& state) override {
    record_norms(analysis_, state, parts_.report);
  }

  solver::StepForm begin(double length) override { return scheme_->begin(length); }
  void predict(Vector<double>& x) const override { scheme_->predict(x); }
  double error(const Vector<double>& x) const override { return scheme_->error(x); }
  void accept(const Vector<double>& x, io::StepResult&) override { scheme_->accept(x); }

  const Vector<double>& last() const override { return scheme_->last(); }
  void visit_scheme(solver::StateVisitor& visitor) override {
    scheme_->visit(visitor);
    coupled_.visit(visitor);
  }

  physics::State make_state(Vector<double> x) override {
    std::optional<Vector<double>> forces, heat;
    if (asks_reactions(parts_.c)) {
      forces = coupled_.reaction_forces(x);
      heat = coupled_.reaction_heat(x);
    }
    analysis_.set_temperature(0, coupled_.temperature(x));
    physics::State state =
        physics::make_state(analysis_, coupled_.displacement(x), std::move(forces));
    state.heat = std::make_shared<const physics::State>(
        physics::make_state(parts_.analysis, coupled_.temperature(x), std::move(heat)));
    return state;
  }

  physics::Analysis& analysis_;
  physics::CoupledEquations coupled_;
  std::optional<solver::RateScheme> scheme_;
};

}  // namespace

void march_thermoelastic(const MarchParts& parts, StateSink& output) {
  const MarchParts of_heat{parts.c,      *parts.analysis.heat(), parts.timers,     parts.console,
                           parts.report, parts.control,          parts.checkpoints};
  if (parts.c.problem.analysis.coupling == physics::Coupling::two_way) {
    CoupledMarch(of_heat, parts.analysis, output).run();
    return;
  }
  QuasiStatic deformation(parts, output);
  march_rates(of_heat, deformation);
}

}  // namespace trestle::app
