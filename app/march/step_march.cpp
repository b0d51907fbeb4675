#include "app/march/step_march.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/march/steps.hpp"
#include "app/measure.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/matrix/vector_kernels.hpp"

namespace trestle::app {
namespace {

using solver::Vector;

bool writes_every_step(const io::Case& c) { return c.output.every == 0 && c.output.times.empty(); }

solver::StepOptions step_options(const physics::AnalysisOptions& options, int order) {
  const double smallest = options.smallest_step > 0 ? options.smallest_step : 1e-6 * options.step;
  // Without a length, it is limited later.
  const double step = options.step > 0 ? options.step : options.end;
  return {step, options.tolerance, smallest, options.largest_step, order};
}

/// Where steps end: times of output, and breaks that are not at one.
std::vector<double> stops_of(const io::Case& c, const std::vector<double>& breaks) {
  std::vector<double> stops = output_times(c);
  const double same = same_time(c.problem.analysis);
  for (const double time : breaks)
    if (std::none_of(stops.begin(), stops.end(),
                     [&](double stop) { return std::abs(stop - time) <= same; }))
      stops.push_back(time);
  std::sort(stops.begin(), stops.end());
  return stops;
}

}  // namespace

double same_time(const physics::AnalysisOptions& options) { return 1e-6 * options.step; }

solver::NewtonOptions newton_options(const io::Case& c, bool linear) {
  solver::NewtonOptions options = c.problem.analysis.newton;
  if (linear) options.tolerance = c.solver.tolerance;
  return options;
}

ExitCode exit_code(solver::NewtonReason reason) {
  return reason == solver::NewtonReason::not_a_number ? ExitCode::not_a_number : ExitCode::diverged;
}

void doubt(const physics::Analysis& analysis, const Vector<double>& u,
           solver::NewtonResult& newton) {
  if (!newton.converged || !analysis.radiates() || range_of(u)[0] >= 0) return;
  newton.converged = false;
  newton.message = "what solves the equations is no temperature";
}

std::array<double, 2> range_of(const Vector<double>& u) {
  const std::array<double, 2> own = solver::range(u.device(), u.owned());
  std::array<double, 2> both{-own[0], own[1]};
  u.map().comm().max(std::span<double>(both));
  return {-both[0], both[1]};
}

StepMarch::StepMarch(const MarchParts& parts, StateSink& output, Vector<double> start, int order,
                     const std::vector<double>& breaks)
    : parts_(parts),
      u_(std::move(start)),
      capacity_(parts.analysis.make_capacity()),
      equations_(parts.analysis, solver_options(parts), &capacity_, options().mass),
      log_(options().end, "s", parts.timers, parts.console, parts.report),
      control_(step_options(options(), order), stops_of(parts.c, breaks)),
      output_(output),
      output_times_(output_times(parts.c)) {
  equations_.observe_solves(
      [&control = parts_.control](int, double) { control.stop().check_in_solve(); });
}

Vector<double> StepMarch::copy_of(const Vector<double>& u) const {
  Vector<double> copy(u.device(), u.shared_map(), u.block(), "solution");
  gpu::copy(u.device(), u.view(), copy.view());
  return copy;
}

void StepMarch::run() {
  const auto visit_all = [this](solver::StateVisitor& visitor) { visit(visitor); };
  Steps steps(parts_, visit_all);
  if (!steps.begin()) {
    range_.take(range(u_));
    write(0);
    reach_stop();
  } else if (unwritten_) {
    write(control_.time());
    if (unwritten_) parts_.control.stop().check();
  }
  while (!control_.done()) {
    const std::size_t before = control_.n_steps();
    steps.take(progress(), [this] { step(); });
    if (control_.n_steps() > before) steps.taken(progress(), options().end);
  }
  finish();
}

Progress StepMarch::progress() const {
  return {static_cast<std::int64_t>(control_.n_steps()), control_.time(),
          control_.done() && !unwritten_};
}

void StepMarch::visit(solver::StateVisitor& visitor) {
  control_.visit(visitor);
  range_.visit("march.range", visitor);
  scales_.visit("march.scales", visitor);
  visitor.number("march.n_written", n_written_);
  visitor.number("march.unwritten", unwritten_);
  visitor.number("march.full", full_);
  equations_.visit(visitor);
  parts_.analysis.visit(visitor);
  visit_scheme(visitor);
  if (!visitor.loading()) return;
  set_time(control_.time());
  equations_.forces_changed();
  gpu::copy(u_.device(), last().view(), u_.view());
}

void StepMarch::set_time(double time) {
  parts_.analysis.set_time(time);
  if (parts_.analysis.loads_change()) equations_.forces_changed();
}

void StepMarch::record(const physics::State& state) {
  record_norms(parts_.analysis, state, parts_.report);
}

void StepMarch::step() {
  const double time = control_.next_time();
  log_.start(static_cast<int>(control_.n_steps()) + 1, time, control_.step());
  set_time(time);
  use(begin(control_.step()));
  predict(u_);
  impose(u_);
  solver::NewtonResult newton = solve(u_);
  doubt(parts_.analysis, u_, newton);
  if (!newton.converged) return refuse(newton, 0);
  range_.take(range(u_));
  const bool estimated = options().tolerance > 0 && range_.width() > 0;
  const double relative = estimated ? error(u_) / range_.width() : 0;
  if (control_.too_large(relative)) return refuse(newton, relative);
  accept_step(newton, relative, time);
}

solver::NewtonResult StepMarch::solve(Vector<double>& u) {
  return solver::newton(system(), newton_options(parts_.c, system().linear()), scales_, u,
                        [&](int number, double residual) {
                          log_.iteration(number, residual);
                          parts_.control.stop().check();
                        });
}

void StepMarch::refuse(const solver::NewtonResult& newton, double error) {
  const std::string fault = newton.converged ? "" : parts_.analysis.fault(u_);
  log_.refuse(newton, error, fault);
  if (system().linear() && !newton.converged)  // a shorter step would not help
    throw NumericalError(exit_code(newton.reason), newton.message);
  if (!log_.is_hopeless() && control_.refuse(error)) return;
  log_.finish();
  throw NumericalError(
      newton.converged ? ExitCode::no_progress
      : fault.empty()  ? exit_code(newton.reason)
                       : ExitCode::diverged,
      fmt::format("no step is short enough at t = {:g} s (analysis.smallest_step): {}",
                  control_.time(),
                  newton.converged ? fmt::format("the error {:.2e} of a step of {:g} s is above "
                                                 "analysis.tolerance, {:g}",
                                                 error, control_.step(), options().tolerance)
                                   : newton.message + (fault.empty() ? "" : "; " + fault)));
}

void StepMarch::accept_step(const solver::NewtonResult& newton, double error, double time) {
  parts_.analysis.accept(u_);
  accept(u_, log_.step());
  log_.accept(newton, error);
  if (!newton.message.empty() && !std::exchange(warned_, true))
    warn({fmt::format("at {:g} s: {}", time, newton.message)}, parts_.console, parts_.report);
  const bool stop = control_.accept(error);
  const bool asked = stop && std::binary_search(output_times_.begin(), output_times_.end(), time);
  if (asked || writes_every_step(parts_.c)) write(time);
  if (stop && !control_.done()) reach_stop();
}

void StepMarch::write(double time) {
  if (n_written_ + 1 >= output_.most_states() && !control_.done()) {  // one is kept for the end
    if (!full_)
      warn(
          {fmt::format("results.hdf holds {} states; those from {:g} s on are left out but for the "
                       "last: give output.every",
                       n_written_, time)},
          parts_.console, parts_.report);
    full_ = true;
    return;
  }
  const auto scope = parts_.timers.time("output");
  set_state(u_);
  const physics::State state = make_state(copy_of(u_));
  try {
    output_.add(state, time);
  } catch (const Error& e) {  // of what solves for its output: who goes on writes it
    if (!jobs::is_stop(e.code())) throw;
    unwritten_ = true;
    return;
  }
  unwritten_ = full_ = false;
  ++n_written_;
  if (control_.done()) record(state);
}

}  // namespace trestle::app
