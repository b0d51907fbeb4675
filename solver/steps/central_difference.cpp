#include "solver/steps/central_difference.hpp"

#include <cmath>

#include "gpu/vector_ops.hpp"

namespace trestle::solver {
namespace {

Vector<double> copy_of(const Vector<double>& x) {
  Vector<double> copy(x.device(), x.shared_map(), x.block(), "time steps");
  gpu::copy(x.device(), x.view(), copy.view());
  return copy;
}

}  // namespace

double stable_step(double lambda, double stiffness_damping) {
  // dt^2 lambda + 2 b lambda dt = 4, in a form that keeps its digits where b is large.
  const double root = std::sqrt(stiffness_damping * stiffness_damping + 4 / lambda);
  return 4 / lambda / (root + stiffness_damping);
}

CentralDifference::CentralDifference(double mass_damping, const Vector<double>& u,
                                     const Vector<double>& v, const Vector<double>& a)
    : mass_damping_(mass_damping),
      u_(copy_of(u)),
      v_(copy_of(v)),
      a_(copy_of(a)),
      half_velocity_(copy_of(v)) {}

void CentralDifference::begin(double dt) {
  step_ = dt;
  gpu::copy(u_.device(), std::as_const(v_).view(), half_velocity_.view());
  gpu::axpy(u_.device(), 0.5 * dt, std::as_const(a_).view(), half_velocity_.view());
}

void CentralDifference::predict(Vector<double>& u) const {
  gpu::copy(u.device(), u_.view(), u.view());
  gpu::axpy(u.device(), step_, half_velocity_.view(), u.view());
}

void CentralDifference::damp(Vector<double>& a) const {
  if (mass_damping_ == 0) return;
  gpu::axpy(a.device(), -mass_damping_, half_velocity_.view(), a.view());
  gpu::scale(a.device(), 1 / (1 + 0.5 * mass_damping_ * step_), a.view());
}

void CentralDifference::accept(const Vector<double>& u, const Vector<double>& a) {
  const gpu::Device& device = u_.device();
  gpu::copy(device, u.view(), u_.view());
  gpu::copy(device, a.view(), a_.view());
  gpu::copy(device, std::as_const(half_velocity_).view(), v_.view());
  gpu::axpy(device, 0.5 * step_, std::as_const(a_).view(), v_.view());
}

void CentralDifference::visit(StateVisitor& visitor) {
  visitor.nodal("central_difference.u", u_);
  visitor.nodal("central_difference.v", v_);
  visitor.nodal("central_difference.a", a_);
}

}  // namespace trestle::solver
