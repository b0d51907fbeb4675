#include "solver/steps/motion_scheme.hpp"

#include <cmath>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"

namespace trestle::solver {
namespace {

void add(double a, const Vector<double>& x, Vector<double>& y) {
  if (a != 0) gpu::axpy(y.device(), a, x.view(), y.view());
}
void set(const Vector<double>& x, Vector<double>& y) { gpu::copy(y.device(), x.view(), y.view()); }
void clear(Vector<double>& y) { gpu::fill(y.device(), y.view(), 0.0); }

}  // namespace

MotionParameters central_difference() {
  MotionParameters p;
  p.beta = 0;
  return p;
}

MotionParameters newmark() { return {}; }

MotionParameters generalized_alpha(double spectral_radius) {
  MotionParameters p;
  p.alpha_m = (2 * spectral_radius - 1) / (spectral_radius + 1);
  p.alpha_f = spectral_radius / (spectral_radius + 1);
  const double shift = p.alpha_f - p.alpha_m;
  p.gamma = 0.5 + shift;
  p.beta = 0.25 * (1 + shift) * (1 + shift);
  return p;
}

MotionScheme::MotionScheme(const MotionParameters& parameters, const Vector<double>& u,
                           const Vector<double>& v, const Vector<double>& a,
                           const Vector<double>& forces)
    : p_(parameters),
      u_(u.device(), u.shared_map(), u.block(), "time steps"),
      v_(make_vector()),
      a_(make_vector()),
      forces_(make_vector()),
      predicted_u_(make_vector()),
      predicted_v_(make_vector()),
      mass_offset_(make_vector()),
      stiffness_offset_(make_vector()),
      carried_(make_vector()) {
  set(u, u_);
  set(v, v_);
  set(a, a_);
  set(forces, forces_);
}

Vector<double> MotionScheme::make_vector() const {
  return Vector<double>(u_.device(), u_.shared_map(), u_.block(), "time steps");
}

const StepForm& MotionScheme::begin(double dt) {
  step_ = dt;
  set(u_, predicted_u_);
  add(dt, v_, predicted_u_);
  add(dt * dt * (0.5 - p_.beta), a_, predicted_u_);
  set(v_, predicted_v_);
  add(dt * (1 - p_.gamma), a_, predicted_v_);

  // Everything is divided by 1 - alpha_f, the weight of the forces at the end of the step.
  const double of_a = (1 - p_.alpha_m) / (1 - p_.alpha_f), kept_a = p_.alpha_m / (1 - p_.alpha_f),
               kept = p_.alpha_f / (1 - p_.alpha_f);
  const double from_u = 1 / (p_.beta * dt * dt), v_from_u = p_.gamma / (p_.beta * dt);
  const auto add_velocity = [&](double damping, Vector<double>& offset) {
    add(damping, predicted_v_, offset);
    add(-damping * v_from_u, predicted_u_, offset);
    add(damping * kept, v_, offset);
  };
  clear(mass_offset_);
  add(-of_a * from_u, predicted_u_, mass_offset_);
  add(kept_a, a_, mass_offset_);
  add_velocity(p_.mass_damping, mass_offset_);
  clear(carried_);
  add(kept, forces_, carried_);
  form_ = {of_a * from_u + p_.mass_damping * v_from_u, &mass_offset_, 0, nullptr,
           kept == 0 ? nullptr : &carried_};
  if (p_.stiffness_damping != 0) {
    clear(stiffness_offset_);
    add_velocity(p_.stiffness_damping, stiffness_offset_);
    form_.stiffness_factor = p_.stiffness_damping * v_from_u;
    form_.stiffness_offset = &stiffness_offset_;
  }
  return form_;
}

void MotionScheme::predict(Vector<double>& u) const {
  set(u_, u);
  add(step_, v_, u);
  add(0.5 * step_ * step_, a_, u);
}

void MotionScheme::set_acceleration(const Vector<double>& u, Vector<double>& a) const {
  const double from_u = 1 / (p_.beta * step_ * step_);
  clear(a);
  add(from_u, u, a);
  add(-from_u, predicted_u_, a);
}

double MotionScheme::error(const Vector<double>& u) const {
  Vector<double> change = make_vector();
  set_acceleration(u, change);
  add(-1, a_, change);
  return step_ * step_ * std::abs(p_.beta - 1.0 / 6) * root_mean_square(change);
}

void MotionScheme::accept(const Vector<double>& u, const Vector<double>& forces) {
  set_acceleration(u, a_);
  set(predicted_v_, v_);
  add(p_.gamma * step_, a_, v_);
  set(u, u_);
  set(forces, forces_);
}

void MotionScheme::visit(StateVisitor& visitor) {
  visitor.nodal("motion_scheme.u", u_);
  visitor.nodal("motion_scheme.v", v_);
  visitor.nodal("motion_scheme.a", a_);
  visitor.nodal("motion_scheme.forces", forces_);
}

}  // namespace trestle::solver
