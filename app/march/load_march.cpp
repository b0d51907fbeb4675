// Static problems that are not linear: their loads grow in steps, or follow t from 0 to 1.
#include <fmt/format.h>

#include <cmath>

#include "app/march/step_march.hpp"
#include "app/march/steps.hpp"
#include "app/measure.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/initial_state.hpp"

namespace trestle::app {
namespace {

using solver::Vector;

constexpr double least_load_step = 1e-6;  // of the first load step

/// A body that radiates is not taken for colder than this before it is known [K]: radiation hardly
/// changes with temperature near 0 K.
constexpr double room_temperature = 293.15;

/// Where a non-linear static solution starts: the initial field where one is given, else the middle
/// of what is prescribed.
Vector<double> first_guess(const physics::Analysis& analysis) {
  const std::array<double, 2> range = analysis.data_range();
  const bool known = analysis.n_components() == 1 && std::isfinite(range[0] + range[1]);
  const double middle = known ? 0.5 * (range[0] + range[1]) : 0;
  return physics::initial_field(analysis, analysis.description().field,
                                analysis.radiates() ? std::max(middle, room_temperature) : middle);
}

class LoadMarch {
 public:
  /// `output` takes states along the path; null: none.
  LoadMarch(const MarchParts& parts, StateSink* output)
      : parts_(parts),
        output_(output),
        equations_(parts.analysis, solver_options(parts), nullptr, options().mass),
        control_({1.0 / options().load_steps, 0, least_load_step / options().load_steps, 0, 1},
                 output == nullptr ? std::vector{1.0} : output_loads(parts.c)),
        log_(1, "", parts.timers, parts.console, parts.report),
        u_(first_guess(parts.analysis)),
        last_(u_.device(), u_.shared_map(), u_.block(), "solution") {
    gpu::copy(u_.device(), std::as_const(u_).view(), last_.view());
    equations_.observe_solves(
        [&control = parts.control](int, double) { control.stop().check_in_solve(); });
  }

  void run() {
    Steps steps(parts_, [this](solver::StateVisitor& visitor) { visit(visitor); });
    steps.begin();
    while (!control_.done()) {
      const std::size_t before = control_.n_steps();
      steps.take(progress(), [this] { step(); });
      if (control_.n_steps() > before) steps.taken(progress(), 1);
    }
  }

  physics::State state() {
    parts_.analysis.set_state(u_);
    Vector<double> u(u_.device(), u_.shared_map(), u_.block(), "solution");
    gpu::copy(u.device(), std::as_const(u_).view(), u.view());
    return physics::make_state(parts_.analysis, 0, std::move(u), asks_reactions(parts_.c));
  }

 private:
  const physics::AnalysisOptions& options() const { return parts_.c.problem.analysis; }
  Progress progress() const {
    return {static_cast<std::int64_t>(control_.n_steps()), control_.time(), control_.done()};
  }

  /// Where a load or prescribed value uses t, all are taken as they are written at t; else they
  /// grow together.
  void set_load(double t) {
    physics::Analysis& analysis = parts_.analysis;
    if (analysis.loads_change() || analysis.supports_move())
      analysis.set_time(t);
    else
      analysis.set_time(0, t);
  }

  void step() {
    physics::Analysis& analysis = parts_.analysis;
    log_.start(static_cast<int>(control_.n_steps()) + 1, control_.next_time(), control_.step());
    set_load(control_.next_time());
    equations_.forces_changed();
    gpu::copy(u_.device(), std::as_const(last_).view(), u_.view());
    if (analysis.n_components() > 1)
      equations_.predict(u_);
    else
      analysis.constraints().impose(u_);
    solver::NewtonResult newton =
        solver::newton(equations_, newton_options(parts_.c, equations_.linear()), scales_, u_,
                       [&](int number, double residual) {
                         log_.iteration(number, residual);
                         parts_.control.stop().check();
                       });
    doubt(analysis, u_, newton);
    if (!newton.converged) return refuse(newton);
    analysis.accept(u_);
    log_.accept(newton, 0);
    const bool stop = control_.accept(0);
    gpu::copy(u_.device(), std::as_const(u_).view(), last_.view());
    // The guess along the tangent may be the solution already.
    const std::string solves =
        newton.iterations.empty()
            ? "no correction"
            : fmt::format("{} corrections, {} iterations of {}", newton.iterations.size(),
                          newton.linear_iterations, newton.last_solve.method);
    parts_.console.line(
        fmt::format("load {:.4g}: {}, residual {:.2e}", control_.time(), solves, newton.residual));
    if (stop && output_ != nullptr) write();
  }

  void write() {
    const auto scope = parts_.timers.time("output");
    physics::State now = state();
    now.time = control_.time();
    output_->add(now, now.time);
    ++n_written_;
    if (control_.done()) record_norms(parts_.analysis, now, parts_.report);
  }

  void refuse(const solver::NewtonResult& newton) {
    const std::string fault = parts_.analysis.fault(u_);
    log_.refuse(newton, 0, fault);
    if (!log_.is_hopeless() && control_.refuse(0)) return;
    log_.finish();
    throw NumericalError(
        fault.empty() ? exit_code(newton.reason) : ExitCode::diverged,
        fmt::format("no load step is short enough at {:g} of the load: {}{}", control_.time(),
                    newton.message, fault.empty() ? "" : "; " + fault));
  }

  void visit(solver::StateVisitor& visitor) {
    control_.visit(visitor);
    equations_.visit(visitor);
    parts_.analysis.visit(visitor);
    visitor.nodal("load_march.u", last_);
    scales_.visit("load_march.scales", visitor);
    if (output_ != nullptr) visitor.number("march.n_written", n_written_);
    if (!visitor.loading()) return;
    set_load(control_.time());
    equations_.forces_changed();
    gpu::copy(u_.device(), std::as_const(last_).view(), u_.view());
  }

  const MarchParts& parts_;
  StateSink* output_;
  int n_written_ = 0;
  physics::StepEquations equations_;
  solver::StepControl control_;
  solver::NewtonScales scales_;
  StepLog log_;
  Vector<double> u_, last_;  // the present solution, and the last accepted one
};

}  // namespace

physics::State solve_nonlinear(const MarchParts& parts) {
  LoadMarch march(parts, nullptr);
  march.run();
  return march.state();
}

void march_loads(const MarchParts& parts, StateSink& output) { LoadMarch(parts, &output).run(); }

}  // namespace trestle::app
