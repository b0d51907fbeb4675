#include "app/march/motion_march.hpp"

#include "gpu/vector_ops.hpp"
#include "physics/initial_state.hpp"

namespace trestle::app {

using solver::Vector;

MotionMarch::MotionMarch(const MarchParts& parts, StateSink& output,
                         const solver::MotionParameters& parameters)
    : StepMarch(parts, output, physics::initial_field(parts.analysis, "displacement", 0), 2),
      parameters_(parameters),
      forces_(copy_of(u_)) {
  parameters_.mass_damping = options().damping.mass;
  parameters_.stiffness_damping = options().damping.stiffness;
}

Vector<double> MotionMarch::initial_velocity(double d, Vector<double>& a) {
  physics::Analysis& analysis = parts_.analysis;
  const gpu::Device& device = u_.device();
  Vector<double> v = physics::initial_field(analysis, "velocity", 0), speed = copy_of(u_);
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
  return v;
}

void MotionMarch::start_balance() {
  balance_.emplace(parts_.analysis, equations_, parameters_, present());
}

void MotionMarch::add_to_balance(io::StepResult& step) {
  balance_->add(present());
  const physics::Energies& energies = balance_->energies();
  step.energy = {energies.kinetic, energies.internal, energies.external, energies.damping,
                 energies.imbalance()};
  parts_.report.energy = step.energy;
}

physics::State MotionMarch::make_state(Vector<double> u) {
  std::optional<Vector<double>> reactions;
  if (asks_reactions(parts_.c)) {
    // In equilibrium at the end of the step, which generalised-alpha meets between its ends.
    Vector<double> inertia = copy_of(acceleration());
    gpu::axpy(u.device(), parameters_.mass_damping, velocity().view(), inertia.view());
    Vector<double> damped = copy_of(damped_velocity());
    gpu::scale(u.device(), parameters_.stiffness_damping, damped.view());
    solver::StepForm form;
    form.mass_offset = &inertia;
    if (parameters_.stiffness_damping != 0) form.stiffness_offset = &damped;
    equations_.use(form);
    reactions = equations_.reactions(u);
  }
  physics::State state = physics::make_state(parts_.analysis, std::move(u), std::move(reactions));
  state.velocity = copy_of(velocity());
  state.acceleration = copy_of(acceleration());
  return state;
}

void march_motion(const MarchParts& parts, StateSink& output) {
  if (parts.c.problem.analysis.scheme == physics::TimeScheme::central_difference)
    march_explicit_motion(parts, output);
  else
    march_implicit_motion(parts, output);
}

}  // namespace trestle::app
