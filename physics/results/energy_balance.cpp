#include "physics/results/energy_balance.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"

namespace trestle::physics {
namespace {

using solver::dot;
using Vector = solver::Vector<double>;

void add_to(double a, const Vector& x, Vector& y) {
  gpu::axpy(y.device(), a, x.owned(), y.owned());
}
/// (first + second) / 2 . change.
double mean_work(const Vector& first, const Vector& second, const Vector& change) {
  return 0.5 * (dot(first, change) + dot(second, change));
}

}  // namespace

double Energies::imbalance() const {
  const double largest =
      std::max({kinetic, std::abs(internal), std::abs(external), damping, start});
  return largest > 0 ? (kinetic + internal + damping - external - start) / largest : 0;
}

EnergyBalance::EnergyBalance(Analysis& analysis, StepEquations& equations,
                             const solver::MotionParameters& parameters, const MotionState& start)
    : analysis_(analysis),
      equations_(equations),
      parameters_(parameters),
      u_(copy_of(start.u)),
      internal_(copy_of(start.u)),
      outer_(copy_of(start.u)),
      damping_(copy_of(start.u)),
      product_(copy_of(start.u)) {
  energies_.kinetic = kinetic(start.v);
  const Vector inertia = inertia_of(start.a);
  damping_ = damping_forces(start);
  internal_ = analysis_.external(0, start.u);
  outer_ = outer_forces(start, internal_, inertia, damping_);
  add_to(-1, start.forces, internal_);
  action_ = dot(start.a, inertia);
  energies_.internal = 0.5 * dot(internal_, start.u);
  energies_.start = energies_.kinetic + energies_.internal;
}

Vector EnergyBalance::copy_of(const Vector& from) const {
  Vector copy(from.device(), from.shared_map(), from.block(), "energy");
  gpu::copy(from.device(), from.view(), copy.view());
  return copy;
}

double EnergyBalance::kinetic(const Vector& v) {
  equations_.apply_mass(v, product_);
  return 0.5 * dot(v, product_);
}

Vector EnergyBalance::inertia_of(const Vector& a) {
  Vector inertia = copy_of(a);
  equations_.apply_mass(a, inertia);
  return inertia;
}

Vector EnergyBalance::damping_forces(const MotionState& motion) {
  Vector forces = copy_of(motion.v);
  gpu::fill(forces.device(), forces.view(), 0.0);
  if (parameters_.mass_damping != 0) {
    equations_.apply_mass(motion.v, product_);
    add_to(parameters_.mass_damping, product_, forces);
  }
  if (parameters_.stiffness_damping != 0) {
    equations_.apply_stiffness(motion.damped_v, product_);
    add_to(parameters_.stiffness_damping, product_, forces);
  }
  return forces;
}

Vector EnergyBalance::outer_forces(const MotionState& motion, const Vector& external,
                                   const Vector& inertia, const Vector& damping) {
  Vector outer = copy_of(motion.forces);
  add_to(-1, inertia, outer);
  add_to(-1, damping, outer);
  analysis_.keep_supports(outer);
  add_to(1, external, outer);
  return outer;
}

void EnergyBalance::add(const MotionState& end) {
  Vector change = copy_of(end.u);
  gpu::axpy(change.device(), -1, std::as_const(u_).view(), change.view());
  const Vector inertia = inertia_of(end.a);
  Vector damping = damping_forces(end);
  Vector internal = analysis_.external(0, end.u);
  Vector outer = outer_forces(end, internal, inertia, damping);
  add_to(-1, end.forces, internal);
  energies_.internal += mean_work(internal_, internal, change);
  energies_.external += mean_work(outer_, outer, change);
  energies_.damping += mean_work(damping_, damping, change);
  energies_.kinetic = kinetic(end.v);
  if (parameters_.is_explicit()) {
    const double action = dot(end.a, inertia), step = analysis_.time() - time_;
    lag_ += step * step / 8 * (action - action_);
    action_ = action;
    energies_.kinetic -= lag_;
  }
  time_ = analysis_.time();
  gpu::copy(change.device(), end.u.view(), u_.view());
  internal_ = std::move(internal);
  outer_ = std::move(outer);
  damping_ = std::move(damping);
}

void EnergyBalance::visit(solver::StateVisitor& visitor, const Vector& u) {
  visitor.value("energy.kinetic", energies_.kinetic);
  visitor.value("energy.internal", energies_.internal);
  visitor.value("energy.external", energies_.external);
  visitor.value("energy.damping", energies_.damping);
  visitor.value("energy.start", energies_.start);
  visitor.value("energy.time", time_);
  visitor.value("energy.lag", lag_);
  visitor.value("energy.action", action_);
  visitor.nodal("energy.internal_forces", internal_);
  visitor.nodal("energy.outer_forces", outer_);
  visitor.nodal("energy.damping_forces", damping_);
  if (visitor.loading()) gpu::copy(u.device(), u.view(), u_.view());
}

}  // namespace trestle::physics
