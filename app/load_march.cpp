// Static problems that are not linear: their loads grow in steps.
#include <fmt/format.h>

#include <cmath>

#include "app/step_march.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/initial_state.hpp"

namespace trestle::app {
namespace {

using solver::Vector;

constexpr double least_load_step = 1e-6;  // of the first load step

/// Where a non-linear static solution starts: the initial field where one is given, else the middle
/// of what is prescribed.
Vector<double> first_guess(const physics::Analysis& analysis) {
  const std::array<double, 2> range = analysis.data_range();
  const bool known = analysis.n_components() == 1 && std::isfinite(range[0] + range[1]);
  return physics::initial_field(analysis, analysis.description().field,
                                known ? 0.5 * (range[0] + range[1]) : 0);
}

}  // namespace

physics::State solve_nonlinear(const io::Case& c, physics::Analysis& analysis, Timers& timers,
                               Console& console, io::Report& report) {
  const physics::AnalysisOptions& options = c.problem.analysis;
  physics::StepEquations equations(analysis, c.solver, nullptr, options.mass);
  solver::StepControl control(
      {1.0 / options.load_steps, 0, least_load_step / options.load_steps, 0, 1}, {1.0});
  StepLog log(1, "", timers, console, report);
  Vector<double> u = first_guess(analysis), last(u.device(), u.shared_map(), u.block(), "solution");
  gpu::copy(u.device(), std::as_const(u).view(), last.view());
  while (!control.done()) {
    log.start(static_cast<int>(control.n_steps()) + 1, control.next_time(), control.step());
    analysis.set_time(0, control.next_time());
    equations.forces_changed();
    gpu::copy(u.device(), std::as_const(last).view(), u.view());
    if (analysis.n_components() > 1)
      equations.predict(u);
    else
      analysis.constraints().impose(u);
    const solver::NewtonResult newton =
        solver::newton(equations, newton_options(c, equations.linear()), u,
                       [&](int number, double residual) { log.iteration(number, residual); });
    if (newton.converged) {
      analysis.accept(u);
      log.accept(newton, 0);
      control.accept(0);
      gpu::copy(u.device(), std::as_const(u).view(), last.view());
      console.line(fmt::format("load {:.4g}: {} corrections, {} iterations of {}, residual {:.2e}",
                               control.time(), newton.iterations.size(), newton.linear_iterations,
                               newton.last_solve.method, newton.residual));
      continue;
    }
    const std::string fault = analysis.fault(u);
    log.refuse(newton, 0, fault);
    if (!control.refuse(0))
      throw NumericalError(
          fault.empty() ? exit_code(newton.reason) : ExitCode::diverged,
          fmt::format("no load step is short enough at {:g} of the load: {}{}", control.time(),
                      newton.message, fault.empty() ? "" : "; " + fault));
  }
  analysis.set_state(u);
  return physics::make_state(analysis, 0, std::move(u), asks_reactions(c));
}

}  // namespace trestle::app
