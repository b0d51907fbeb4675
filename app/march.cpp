#include "app/march.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "app/measure.hpp"
#include "app/step_log.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/initial_state.hpp"
#include "physics/step_equations.hpp"
#include "solver/rate_scheme.hpp"
#include "solver/step_control.hpp"
#include "solver/vector_kernels.hpp"

namespace trestle::app {
namespace {

using physics::AnalysisOptions;
using solver::Vector;

constexpr double same_time = 1e-9;        // relative difference of times that are one
constexpr double least_load_step = 1e-6;  // of the first load step

bool writes_every_step(const io::Case& c) { return c.output.every == 0 && c.output.times.empty(); }

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

/// Newton's method as the case asks for it; what is linear is as exact as its linear solves.
solver::NewtonOptions newton_options(const io::Case& c, bool linear) {
  solver::NewtonOptions options = c.problem.analysis.newton;
  if (linear) options.tolerance = c.solver.tolerance;
  return options;
}

ExitCode exit_code(solver::NewtonReason reason) {
  return reason == solver::NewtonReason::not_a_number ? ExitCode::not_a_number : ExitCode::diverged;
}

/// Least and greatest value over all ranks.
std::array<double, 2> range_of(const Vector<double>& u) {
  const std::array<double, 2> own = solver::range(u.device(), u.owned());
  std::array<double, 2> both{-own[0], own[1]};
  u.map().comm().max(std::span<double>(both));
  return {-both[0], both[1]};
}

/// Values that a field has taken, or that its data allow.
struct ValueRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void take(const std::array<double, 2>& range) {
    low = std::min(low, range[0]);
    high = std::max(high, range[1]);
  }
  double width() const { return high > low ? high - low : 0; }
};

/// Watches a temperature that has no source: it stays between what it starts from and what its
/// surroundings have [Hughes 2000, sec. 8.2], unless a scheme rings or a step is too short for a
/// consistent capacity.
class OvershootWatch {
 public:
  OvershootWatch(const physics::Analysis& analysis, const Vector<double>& start)
      : analysis_(analysis) {
    const auto& conditions = analysis.problem().conditions;
    active_ =
        analysis.n_components() == 1 &&
        std::none_of(conditions.begin(), conditions.end(), [](const auto& condition) {
          return condition.type == "flux" || condition.type == "source" || condition.type == "heat";
        });
    if (active_) allowed_.take(range_of(start));
  }
  void look(const Vector<double>& u, double time) {
    if (!active_) return;
    allowed_.take(analysis_.data_range());
    const std::array<double, 2> range = range_of(u);
    const double beyond = std::max(allowed_.low - range[0], range[1] - allowed_.high);
    if (beyond > 1e-6 * allowed_.width() && beyond > worst_) {
      worst_ = beyond;
      worst_time_ = time;
    }
  }
  std::vector<std::string> warnings() const {
    if (worst_ == 0) return {};
    return {fmt::format(
        "the temperature left the range of its data, {:g} to {:g} K, by up to {:.3g} K (at {:g} "
        "s), "
        "which nothing real does: a sudden change makes crank_nicolson ring, and short steps make "
        "a "
        "consistent capacity overshoot; take scheme: backward_euler or bdf2, mass: lumped, finer "
        "cells, or longer first steps",
        allowed_.low, allowed_.high, worst_, worst_time_)};
  }

 private:
  const physics::Analysis& analysis_;
  bool active_;
  ValueRange allowed_;
  double worst_ = 0, worst_time_ = 0;
};

/// A transient analysis of first order in time.
class RateMarch {
 public:
  RateMarch(const io::Case& c, physics::Analysis& analysis, Timers& timers, Console& console,
            io::Report& report, StateSink& output)
      : case_(c),
        options_(c.problem.analysis),
        analysis_(analysis),
        timers_(timers),
        console_(console),
        report_(report),
        output_(output),
        log_(options_.end, "s", timers, console, report),
        u_(physics::initial_field(analysis, analysis.description().field, 0)),
        capacity_(analysis.make_capacity()),
        equations_(analysis, c.solver, &capacity_, options_.mass),
        scheme_(rate_kind(options_.scheme), u_, initial_rate()),
        control_(step_options(), output_times(c)),
        overshoot_(analysis, u_) {}

  void run() {
    range_.take(range_of(u_));
    write(0);
    while (!control_.done()) step();
    warn(overshoot_.warnings(), console_, report_);
  }

 private:
  solver::StepOptions step_options() const {
    const double smallest =
        options_.smallest_step > 0 ? options_.smallest_step : 1e-6 * options_.step;
    return {options_.step, options_.tolerance, smallest, options_.largest_step, scheme_.order()};
  }

  /// u' at time 0, which only Crank-Nicolson asks for: prescribed values move as in the first step.
  Vector<double> initial_rate() {
    Vector<double> rate(u_.device(), u_.shared_map(), u_.block(), "time steps");
    gpu::fill(u_.device(), rate.view(), 0.0);
    if (rate_kind(options_.scheme) != solver::RateKind::crank_nicolson) return rate;
    const auto scope = timers_.time("assemble");
    const Vector<double>& prescribed = analysis_.constraints().prescribed();
    analysis_.set_time(options_.step);
    gpu::axpy(u_.device(), 1 / options_.step, prescribed.view(), rate.view());
    analysis_.set_time(0);
    gpu::axpy(u_.device(), -1 / options_.step, prescribed.view(), rate.view());
    equations_.solve_rate(u_, rate);
    return rate;
  }

  void step() {
    const double time = control_.next_time();
    log_.start(static_cast<int>(control_.n_steps()) + 1, time, control_.step());
    analysis_.set_time(time);
    if (analysis_.loads_change()) equations_.forces_changed();
    scheme_.begin(control_.step());
    equations_.use_rate(scheme_.factor(), scheme_.offset());
    scheme_.predict(u_);
    analysis_.constraints().impose(u_);
    const solver::NewtonResult newton =
        solver::newton(equations_, newton_options(case_, equations_.linear()), u_,
                       [&](int number, double residual) { log_.iteration(number, residual); });
    if (!newton.converged) return refuse(newton, 0);
    range_.take(range_of(u_));
    const double error =
        options_.tolerance > 0 && range_.width() > 0 ? scheme_.error(u_) / range_.width() : 0;
    if (control_.too_large(error)) return refuse(newton, error);
    accept(newton, error, time);
  }

  void refuse(const solver::NewtonResult& newton, double error) {
    log_.refuse(newton, error);
    if (equations_.linear() && !newton.converged)  // a shorter step would not help
      throw NumericalError(exit_code(newton.reason), newton.message);
    if (control_.refuse(error)) return;
    throw NumericalError(
        newton.converged ? ExitCode::no_progress : exit_code(newton.reason),
        fmt::format("no step is short enough at t = {:g} s (analysis.smallest_step): {}",
                    control_.time(),
                    newton.converged ? fmt::format("the error {:.2e} of a step of {:g} s is above "
                                                   "analysis.tolerance, {:g}",
                                                   error, control_.step(), options_.tolerance)
                                     : newton.message));
  }

  void accept(const solver::NewtonResult& newton, double error, double time) {
    log_.accept(newton, error);
    analysis_.accept(u_);
    scheme_.accept(u_);
    overshoot_.look(u_, time);
    const bool stop = control_.accept(error);
    if (stop || writes_every_step(case_)) write(time);
  }

  void write(double time) {
    const auto scope = timers_.time("output");
    Vector<double> u(u_.device(), u_.shared_map(), u_.block(), "solution");
    gpu::copy(u_.device(), std::as_const(u_).view(), u.view());
    std::optional<Vector<double>> reactions;
    if (asks_reactions(case_)) reactions = equations_.reactions(u);
    analysis_.set_state(u);
    const physics::State state = physics::make_state(analysis_, std::move(u), std::move(reactions));
    output_.add(state, time);
    if (control_.done()) record_norms(analysis_, state, report_);
  }

  const io::Case& case_;
  const AnalysisOptions& options_;
  physics::Analysis& analysis_;
  Timers& timers_;
  Console& console_;
  io::Report& report_;
  StateSink& output_;
  StepLog log_;
  Vector<double> u_;
  physics::Capacity capacity_;
  physics::StepEquations equations_;
  solver::RateScheme scheme_;
  solver::StepControl control_;
  OvershootWatch overshoot_;
  ValueRange range_;
};

/// Where a non-linear static solution starts: the initial field where one is given, else the middle
/// of what is prescribed.
Vector<double> first_guess(const physics::Analysis& analysis) {
  const std::array<double, 2> range = analysis.data_range();
  const bool known = analysis.n_components() == 1 && std::isfinite(range[0] + range[1]);
  return physics::initial_field(analysis, analysis.description().field,
                                known ? 0.5 * (range[0] + range[1]) : 0);
}

}  // namespace

std::vector<double> output_times(const io::Case& c) {
  const double end = c.problem.analysis.end;
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

int most_states(const io::Case& c) {
  constexpr double most = 65000;
  const AnalysisOptions& options = c.problem.analysis;
  const double n_stops = static_cast<double>(output_times(c).size());
  // Steps that are cut or that adapt themselves may be more.
  const double n = !writes_every_step(c) ? n_stops
                   : options.tolerance > 0
                       ? most
                       : 2 * std::ceil(options.end / options.step) + n_stops + 8;
  return static_cast<int>(std::min(n + 1, most));
}

void march(const io::Case& c, physics::Analysis& analysis, Timers& timers, Console& console,
           io::Report& report, StateSink& output) {
  RateMarch(c, analysis, timers, console, report, output).run();
}

physics::State solve_nonlinear(const io::Case& c, physics::Analysis& analysis, Timers& timers,
                               Console& console, io::Report& report) {
  const AnalysisOptions& options = c.problem.analysis;
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
    log.refuse(newton, 0);
    if (!fault.empty()) console.line("  " + fault);
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
