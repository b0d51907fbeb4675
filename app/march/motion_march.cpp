// Marches of second order in time: solids in motion.
#include "app/march/step_march.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/initial_state.hpp"
#include "physics/results/energy_balance.hpp"
#include "solver/steps/motion_scheme.hpp"

namespace trestle::app {
namespace {

using solver::Vector;

solver::MotionParameters motion_parameters(const physics::AnalysisOptions& options) {
  solver::MotionParameters parameters = options.scheme == physics::TimeScheme::newmark
                                            ? solver::newmark()
                                            : solver::generalized_alpha(options.spectral_radius);
  parameters.mass_damping = options.damping.mass;
  parameters.stiffness_damping = options.damping.stiffness;
  return parameters;
}

class MotionMarch final : public StepMarch {
 public:
  MotionMarch(const MarchParts& parts, StateSink& output)
      : StepMarch(parts, output, physics::initial_field(parts.analysis, "displacement", 0), 2),
        parameters_(motion_parameters(options())),
        forces_(copy_of(u_)) {
    const auto scope = parts.timers.time("assemble");
    Vector<double> v = physics::initial_field(parts.analysis, "velocity", 0), a = copy_of(u_);
    prescribe_motion(v, a);
    solve_acceleration(v, a);
    equations_.forces(u_, forces_);
    scheme_.emplace(parameters_, u_, v, a, forces_);
    balance_.emplace(parts.analysis, equations_, parameters_, u_, v, forces_);
  }

 private:
  /// Velocity and acceleration of prescribed values at time 0, from differences over a hundredth of
  /// a step; elsewhere v stays and a is 0.
  void prescribe_motion(Vector<double>& v, Vector<double>& a) {
    const double d = 0.01 * options().step;
    physics::Analysis& analysis = parts_.analysis;
    const gpu::Device& device = u_.device();
    Vector<double> speed = copy_of(u_);
    gpu::fill(device, speed.view(), 0.0);
    gpu::fill(device, a.view(), 0.0);
    const double of_speed[] = {-1.5 / d, 2 / d, -0.5 / d},
                 of_a[] = {1 / (d * d), -2 / (d * d), 1 / (d * d)};
    for (const int k : {1, 2, 0}) {  // ends at time 0
      analysis.set_time(k * d);
      gpu::axpy(device, of_speed[k], analysis.constraints().prescribed().view(), speed.view());
      gpu::axpy(device, of_a[k], analysis.constraints().prescribed().view(), a.view());
    }
    analysis.constraints().set_fixed_part(speed, v);
  }

  /// M a = F(0, u) - D v.
  void solve_acceleration(const Vector<double>& v, Vector<double>& a) {
    Vector<double> damping = copy_of(u_), product = copy_of(u_);
    gpu::fill(u_.device(), damping.view(), 0.0);
    if (parameters_.mass_damping != 0) {
      equations_.apply_mass(v, product);
      gpu::axpy(u_.device(), -parameters_.mass_damping, std::as_const(product).owned(),
                damping.owned());
    }
    if (parameters_.stiffness_damping != 0) {
      equations_.apply_stiffness(v, product);
      gpu::axpy(u_.device(), -parameters_.stiffness_damping, std::as_const(product).owned(),
                damping.owned());
    }
    equations_.solve_rate(u_, &damping, a);
  }

  solver::StepForm begin(double length) override { return scheme_->begin(length); }
  void predict(Vector<double>& u) const override { scheme_->predict(u); }
  double error(const Vector<double>& u) const override { return scheme_->error(u); }
  void accept(const Vector<double>& u, io::StepResult& step) override {
    equations_.forces(u, forces_);
    scheme_->accept(u, forces_);
    balance_->add(u, scheme_->velocity(), scheme_->acceleration(), forces_);
    const physics::Energies& energies = balance_->energies();
    step.energy = {energies.kinetic, energies.internal, energies.external, energies.damping,
                   energies.imbalance()};
    parts_.report.energy = step.energy;
  }
  const Vector<double>& last() const override { return scheme_->displacement(); }
  void visit_scheme(solver::StateVisitor& visitor) override {
    scheme_->visit(visitor);
    balance_->visit(visitor, scheme_->displacement());
    gpu::copy(u_.device(), scheme_->forces().view(), forces_.view());
  }
  physics::State make_state(Vector<double> u) override {
    std::optional<Vector<double>> reactions;
    if (asks_reactions(parts_.c)) {
      // In equilibrium at the end of the step, which generalised-alpha meets between its ends.
      Vector<double> inertia = copy_of(scheme_->acceleration());
      gpu::axpy(u.device(), parameters_.mass_damping, scheme_->velocity().view(), inertia.view());
      Vector<double> damped = copy_of(scheme_->velocity());
      gpu::scale(u.device(), parameters_.stiffness_damping, damped.view());
      solver::StepForm form;
      form.mass_offset = &inertia;
      if (parameters_.stiffness_damping != 0) form.stiffness_offset = &damped;
      equations_.use(form);
      reactions = equations_.reactions(u);
    }
    physics::State state = physics::make_state(parts_.analysis, std::move(u), std::move(reactions));
    state.velocity = copy_of(scheme_->velocity());
    state.acceleration = copy_of(scheme_->acceleration());
    return state;
  }

  solver::MotionParameters parameters_;
  Vector<double> forces_;
  std::optional<solver::MotionScheme> scheme_;
  std::optional<physics::EnergyBalance> balance_;
};

}  // namespace

void march_motion(const MarchParts& parts, StateSink& output) { MotionMarch(parts, output).run(); }

}  // namespace trestle::app
