// StepMarch: what all marches through time have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "app/march/march.hpp"
#include "app/march/step_log.hpp"
#include "app/state/checkpointer.hpp"
#include "physics/step_equations.hpp"
#include "solver/steps/newton.hpp"
#include "solver/steps/rate_scheme.hpp"
#include "solver/steps/step_control.hpp"

namespace trestle::app {

/// Newton's method as the case asks for it; what is linear is as exact as its linear solves.
solver::NewtonOptions newton_options(const io::Case& c, bool linear);
/// The scheme of first order that a case names.
solver::RateKind rate_kind(physics::TimeScheme scheme);
/// Times this near to each other are one [s].
double same_time(const physics::AnalysisOptions& options);
/// 81 where numbers failed, else 80.
ExitCode exit_code(solver::NewtonReason reason);

/// Turns a solution without meaning, of temperatures below absolute zero where surfaces radiate,
/// into a failure. Collective.
void doubt(const physics::Analysis& analysis, const solver::Vector<double>& u,
           solver::NewtonResult& newton);

/// Values that a field has taken, or that its data allow.
struct ValueRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void take(const std::array<double, 2>& range) {
    low = std::min(low, range[0]);
    high = std::max(high, range[1]);
  }
  void visit(const std::string& name, solver::StateVisitor& visitor) {
    visitor.value(name + ".low", low);
    visitor.value(name + ".high", high);
  }
  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
  /// None where it is no more than what rounding makes of values that are all the same.
  double width() const { return high - low > rounding * magnitude() ? high - low : 0; }
  static constexpr double rounding = 1e-9;
};
/// Least and greatest value over all ranks. Collective.
std::array<double, 2> range_of(const solver::Vector<double>& u);

/// Step after step: predict, correct by Newton's method, estimate the error, accept or refuse. What
/// depends on the order in time is in the classes derived from it.
class StepMarch {
 public:
  virtual ~StepMarch() = default;
  /// Throws NumericalError (80, 81, 87) when a step cannot be taken. Collective.
  void run();

 protected:
  /// Steps hit the `breaks` [s] as they hit the times of output.
  StepMarch(const MarchParts& parts, StateSink& output, solver::Vector<double> start, int order,
            const std::vector<double>& breaks = {});

  /// The form of the equations of a step of this length [s] to the present time.
  virtual solver::StepForm begin(double length) = 0;
  virtual void predict(solver::Vector<double>& u) const = 0;
  /// Root mean square of the estimated error.
  virtual double error(const solver::Vector<double>& u) const = 0;
  virtual void accept(const solver::Vector<double>& u, io::StepResult& step) = 0;
  /// The state at the present time.
  virtual physics::State make_state(solver::Vector<double> u) = 0;
  /// The last accepted solution, and what decides about the steps to come.
  virtual const solver::Vector<double>& last() const = 0;
  virtual void visit_scheme(solver::StateVisitor& visitor) = 0;
  virtual void finish() {}
  /// A stop was reached, the start among them: data may jump there.
  virtual void reach_stop() {}

  /// From the guess to the solution of the step.
  virtual solver::NewtonResult solve(solver::Vector<double>& u);
  /// No step is longer from now on [s].
  void limit_steps(double longest) { control_.limit(longest); }
  double step_length() const { return control_.step(); }
  /// The next n steps are taken as two halves each.
  void halve_steps(int n) { control_.halve(n); }
  bool halved() const { return control_.halved(); }
  double time() const { return control_.time(); }
  std::size_t n_steps() const { return control_.n_steps(); }

  // What differs where several fields march as one.
  virtual solver::NonlinearSystem& system() { return equations_; }
  virtual void set_time(double time);
  virtual void use(const solver::StepForm& form) { equations_.use(form); }
  virtual void impose(solver::Vector<double>& u) const { parts_.analysis.constraints().impose(u); }
  /// Least and greatest value of the field whose error is estimated.
  virtual std::array<double, 2> range(const solver::Vector<double>& u) const { return range_of(u); }
  virtual void set_state(const solver::Vector<double>& u) { parts_.analysis.set_state(u); }
  virtual void record(const physics::State& state);

  const physics::AnalysisOptions& options() const { return parts_.c.problem.analysis; }
  solver::Vector<double> copy_of(const solver::Vector<double>& u) const;

  MarchParts parts_;
  solver::Vector<double> u_;
  physics::Capacity capacity_;
  physics::StepEquations equations_;

 private:
  void step();
  void refuse(const solver::NewtonResult& newton, double error);
  void accept_step(const solver::NewtonResult& newton, double error, double time);
  void write(double time);
  Progress progress() const;
  /// Everything that a march needs to go on.
  void visit(solver::StateVisitor& visitor);

  StepLog log_;
  solver::StepControl control_;
  solver::NewtonScales scales_;
  ValueRange range_;
  int n_written_ = 0;
  StateSink& output_;
  bool unwritten_ = false;  // the present state is accepted, but the run was asked to stop
  bool full_ = false;       // the results file takes no more
  bool warned_ = false;     // that rounding limits what a step can reach
  std::vector<double> output_times_;
};

}  // namespace trestle::app
