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
                             const solver::MotionParameters& parameters, const Vector& u,
                             const Vector& v, const Vector& forces)
    : analysis_(analysis),
      equations_(equations),
      parameters_(parameters),
      u_(copy_of(u)),
      internal_(copy_of(u)),
      outer_(copy_of(u)),
      work_(copy_of(u)),
      product_(copy_of(u)) {
  energies_.kinetic = kinetic(v);
  const Vector external = analysis_.external(0, u);
  gpu::copy(u.device(), external.view(), internal_.view());
  add_to(-1, forces, internal_);
  gpu::copy(u.device(), external.view(), outer_.view());
  energies_.internal = 0.5 * dot(internal_, u);
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

void EnergyBalance::apply_damping(const Vector& v, Vector& product) {
  gpu::fill(v.device(), product.view(), 0.0);
  if (parameters_.mass_damping != 0) {
    equations_.apply_mass(v, work_);
    add_to(parameters_.mass_damping, work_, product);
  }
  if (parameters_.stiffness_damping != 0) {
    equations_.apply_stiffness(v, work_);
    add_to(parameters_.stiffness_damping, work_, product);
  }
}

Vector EnergyBalance::outer_forces(const Vector& external, const Vector& v, const Vector& a,
                                   const Vector& forces) {
  Vector outer = copy_of(external);
  Vector unbalanced = copy_of(forces);
  equations_.apply_mass(a, product_);
  add_to(-1, product_, unbalanced);
  apply_damping(v, product_);
  add_to(-1, product_, unbalanced);
  analysis_.keep_supports(unbalanced);
  add_to(1, unbalanced, outer);
  return outer;
}

void EnergyBalance::add(const Vector& u, const Vector& v, const Vector& a, const Vector& forces) {
  Vector change = copy_of(u);
  gpu::axpy(u.device(), -1, std::as_const(u_).view(), change.view());
  Vector internal = analysis_.external(0, u);
  Vector outer = outer_forces(internal, v, a, forces);
  add_to(-1, forces, internal);
  energies_.internal += mean_work(internal_, internal, change);
  energies_.external += mean_work(outer_, outer, change);
  apply_damping(change, product_);
  if (const double time = analysis_.time() - time_; time > 0)
    energies_.damping += dot(change, product_) / time;
  energies_.kinetic = kinetic(v);
  time_ = analysis_.time();
  gpu::copy(u.device(), u.view(), u_.view());
  internal_ = std::move(internal);
  outer_ = std::move(outer);
}

void EnergyBalance::visit(solver::StateVisitor& visitor, const Vector& u) {
  visitor.value("energy.kinetic", energies_.kinetic);
  visitor.value("energy.internal", energies_.internal);
  visitor.value("energy.external", energies_.external);
  visitor.value("energy.damping", energies_.damping);
  visitor.value("energy.start", energies_.start);
  visitor.value("energy.time", time_);
  visitor.nodal("energy.internal_forces", internal_);
  visitor.nodal("energy.outer_forces", outer_);
  if (visitor.loading()) gpu::copy(u.device(), u.view(), u_.view());
}

}  // namespace trestle::physics
