// Solids in motion by central differences: a product with the stiffness in a step, and no solve.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/march/motion_march.hpp"
#include "core/stopwatch.hpp"
#include "gpu/halo.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/stable_step.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/steps/central_difference.hpp"

namespace trestle::app {
namespace {

using solver::Vector;

constexpr double share = 0.95;  // of the longest stable step, where the case gives none
constexpr std::size_t steps_between_checks = 100;  // of the stable step of what is not linear

/// To three digits, downwards: the same on any number of ranks.
double rounded_down(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::floor(value / unit) * unit;
}

class ExplicitMotion final : public MotionMarch {
 public:
  ExplicitMotion(const MarchParts& parts, StateSink& output)
      : MotionMarch(parts, output, solver::central_difference()),
        inverse_masses_(physics::inverse_masses(parts.analysis, capacity_)),
        halo_(u_.device(), u_.shared_map(), u_.block()),
        next_(copy_of(u_)),
        rate_(copy_of(u_)),
        force_(copy_of(u_)),
        free_(copy_of(u_)) {
    const auto scope = parts.timers.time("assemble");
    choose_step();
    Vector<double> a = copy_of(u_);
    const Vector<double> v = initial_velocity(0.01 * step_length(), a);
    equations_.forces(u_, forces_);
    accelerate(v, rate_);
    gpu::axpy(u_.device(), -parameters_.mass_damping, v.view(), rate_.view());
    if (parts.analysis.supports_move()) start_supports(v, a);
    parts.analysis.constraints().set_fixed_part(a, rate_);
    scheme_.emplace(parameters_.mass_damping, u_, v, rate_);
    start_balance();
  }

 private:
  double stable_step() {
    return physics::longest_stable_step(equations_, inverse_masses_, u_,
                                        parameters_.stiffness_damping);
  }

  /// Refuses a step that would grow; takes the longest one where none is given.
  void choose_step() {
    constexpr double rounding = 1e-9;  // a step may be the longest one
    const double longest = stable_step(), given = options().step;
    if (given > longest * (1 + rounding))
      throw Error(ExitCode::case_file,
                  fmt::format("analysis.step: {:g} s is longer than the longest stable step of "
                              "central_difference on this mesh, {:.4g} s: the motion would grow "
                              "without bound; take at most {:.3g} s, or leave step out, or take "
                              "scheme: generalized_alpha",
                              given, longest, rounded_down(share * longest)));
    if (given == 0 && std::isfinite(longest)) limit_steps(rounded_down(share * longest));
    parts_.console.line(
        fmt::format("longest stable step {:.4g} s; steps of {:.4g} s", longest, step_length()));
  }

  /// What is not linear may have become stiffer.
  void check_step() {
    const double longest = stable_step();
    if (step_length() <= longest) return;
    limit_steps(rounded_down(share * longest));
    parts_.console.line(
        fmt::format("the solid has become stiffer: longest stable step {:.4g} s, steps of {:.4g} s",
                    longest, step_length()));
  }

  /// rate = M^-1 (F - b K v), 0 where nodes are held; its ghosts are up to date.
  void accelerate(const Vector<double>& v, Vector<double>& rate) {
    const gpu::Device& device = u_.device();
    gpu::copy(device, std::as_const(forces_).view(), force_.view());
    if (parameters_.stiffness_damping != 0) {
      equations_.apply_stiffness(v, free_);
      gpu::axpy(device, -parameters_.stiffness_damping, std::as_const(free_).owned(),
                force_.owned());
    }
    parts_.analysis.constraints().apply(force_);
    gpu::fill(device, free_.view(), 0.0);
    fem::add_lumped_inertia(inverse_masses_, force_, 1, free_);
    halo_.update(free_.view());
    parts_.analysis.constraints().expand_increment(free_, rate);
  }

  solver::StepForm begin(double length) override {
    if (!equations_.linear() && n_steps() > 0 && n_steps() % steps_between_checks == 0)
      check_step();
    scheme_->begin(length);
    if (parts_.analysis.supports_move()) look_ahead(length);
    return {};
  }
  /// The acceleration that takes prescribed values from time 0 to the end of the first step.
  void start_supports(const Vector<double>& v, Vector<double>& a) {
    const double length = step_length();
    physics::Analysis& analysis = parts_.analysis;
    analysis.set_time(length);
    gpu::copy(a.device(), analysis.constraints().prescribed().view(), a.view());
    analysis.set_time(0);
    gpu::axpy(a.device(), -1, analysis.constraints().prescribed().view(), a.view());
    gpu::axpy(a.device(), -length, v.view(), a.view());
    gpu::scale(a.device(), 2 / (length * length), a.view());
  }
  /// Prescribed values a step later, from which their acceleration at the end of this one follows.
  void look_ahead(double length) {
    constexpr double rounding = 1e-6;  // of a step
    const double time = parts_.analysis.time(), end = options().end;
    ahead_ = time + (1 - rounding) * length <= end;
    if (!ahead_) return;  // data need not go on behind the end
    parts_.analysis.set_time(std::min(time + length, end));
    gpu::copy(u_.device(), parts_.analysis.constraints().prescribed().view(), next_.view());
    set_time(time);
  }
  void prescribe_acceleration(double length, Vector<double>& a) {
    if (!ahead_) return parts_.analysis.constraints().set_fixed_part(scheme_->acceleration(), a);
    Vector<double> change = copy_of(next_);
    gpu::axpy(u_.device(), -2, parts_.analysis.constraints().prescribed().view(), change.view());
    gpu::axpy(u_.device(), 1, scheme_->displacement().view(), change.view());
    gpu::scale(u_.device(), 1 / (length * length), change.view());
    parts_.analysis.constraints().set_fixed_part(change, a);
  }

  void predict(Vector<double>& u) const override { scheme_->predict(u); }
  solver::NewtonResult solve(Vector<double>& u) override {
    solver::NewtonResult result;
    const Stopwatch watch;
    equations_.forces(u, forces_);
    result.solve_s = watch.seconds();
    result.converged = std::isfinite(solver::norm(forces_));
    result.reason =
        result.converged ? solver::NewtonReason::converged : solver::NewtonReason::not_a_number;
    if (!result.converged) result.message = "forces are not finite";
    return result;
  }
  double error(const Vector<double>&) const override { return 0; }
  void accept(const Vector<double>& u, io::StepResult& step) override {
    accelerate(scheme_->half_velocity(), rate_);
    scheme_->damp(rate_);
    if (parts_.analysis.supports_move()) prescribe_acceleration(step.step, rate_);
    scheme_->accept(u, rate_);
    add_to_balance(step);
  }
  const Vector<double>& last() const override { return scheme_->displacement(); }
  const Vector<double>& velocity() const override { return scheme_->velocity(); }
  const Vector<double>& acceleration() const override { return scheme_->acceleration(); }
  const Vector<double>& damped_velocity() const override { return scheme_->half_velocity(); }
  void visit_scheme(solver::StateVisitor& visitor) override {
    scheme_->visit(visitor);
    visit_balance(visitor);
  }

  Vector<double> inverse_masses_;  // [direction of the frame of a node]
  gpu::Halo halo_;
  Vector<double> next_, rate_;
  Vector<double> force_, free_;  // of accelerate, kept from step to step
  bool ahead_ = false;           // next_ is known
  std::optional<solver::CentralDifference> scheme_;
};

}  // namespace

void march_explicit_motion(const MarchParts& parts, StateSink& output) {
  ExplicitMotion(parts, output).run();
}

}  // namespace trestle::app
