#include "physics/step_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::physics {
namespace {

using solver::Vector;

/// What a rate at time 0 may be off by, relative to the forces.
constexpr double rate_tolerance = 1e-10;
/// What a first guess may be off by.
constexpr double predictor_tolerance = 1e-4;

double norm_of(const Vector<double>& v) {
  return std::sqrt(v.map().comm().sum(gpu::norm2_squared(v.device(), v.owned())));
}

}  // namespace

StepEquations::StepEquations(Analysis& analysis, const solver::SolverOptions& options,
                             Capacity* capacity, MassKind mass)
    : analysis_(analysis),
      capacity_(capacity),
      linear_(analysis.constant() && (capacity == nullptr || !capacity->depends_on_temperature())),
      lumped_(mass == MassKind::lumped),
      layout_(fem::make_matrix_layout(analysis.discretisation())),
      solver_(options, traits()) {
  if (linear_) assemble_constant_parts();
}

solver::MatrixTraits StepEquations::traits() const {
  solver::MatrixTraits traits = analysis_.matrix_traits();
  traits.symmetric = analysis_.symmetric();
  traits.positive_definite = traits.symmetric;
  return traits;
}

Vector<double> StepEquations::make_vector(const char* item) const {
  return Vector<double>(analysis_.discretisation().device(), analysis_.mesh().nodes,
                        analysis_.n_components(), item);
}

void StepEquations::assemble_constant_parts() {
  const gpu::Device& device = analysis_.discretisation().device();
  const auto make = [&] {
    return std::make_shared<Matrix>(device, layout_.pattern, analysis_.n_components());
  };
  const auto stiffness = make();
  analysis_.add_tangent(layout_, analysis_.constraints().prescribed(), *stiffness);
  stiffness_ = stiffness;
  stiffness_product_ = std::make_unique<const solver::MatrixOperator<double>>(stiffness_);
  if (capacity_ == nullptr) return;
  if (lumped_) {
    lumped_mass_ = std::make_unique<const Vector<double>>(fem::lumped_mass(
        analysis_.discretisation(), capacity_->coefficient(), analysis_.n_components()));
    return;
  }
  const auto mass = make();
  fem::add_mass(analysis_.discretisation(), layout_, capacity_->coefficient(), 1, *mass);
  mass_ = mass;
  mass_product_ = std::make_unique<const solver::MatrixOperator<double>>(mass_);
}

void StepEquations::use_rate(double a, const Vector<double>& h) {
  a_ = a;
  h_ = &h;
}

const Vector<double>& StepEquations::forces_at_zero() {
  if (forces_at_zero_) return *forces_at_zero_;
  forces_at_zero_ = std::make_unique<const Vector<double>>(analysis_.forces_at_zero());
  return *forces_at_zero_;
}

double StepEquations::linear_forces(const Vector<double>& u, Vector<double>& r) {
  // The product brings the ghosts of its argument up to date, which they are already.
  stiffness_product_->apply(const_cast<Vector<double>&>(u), r);
  const Vector<double>& external = forces_at_zero();
  const double size = std::max(norm_of(r), norm_of(external));
  gpu::scale(r.device(), -1, r.view());
  gpu::axpy(r.device(), 1, external.owned(), r.owned());
  return size;
}

double StepEquations::forces(const Vector<double>& u, Vector<double>& r) {
  if (linear_) return linear_forces(u, r);
  analysis_.set_state(u);
  const Vector<double> external = analysis_.external(0, u);
  gpu::copy(r.device(), external.view(), r.view());
  analysis_.add_internal_force(0, u, -1, r);
  Vector<double> internal = make_vector("vectors");
  gpu::copy(r.device(), external.view(), internal.view());
  gpu::axpy(r.device(), -1, std::as_const(r).view(), internal.view());
  return std::max(norm_of(external), norm_of(internal));
}

void StepEquations::add_inertia(const Vector<double>& v, double factor, Vector<double>& sum) {
  if (lumped_) {
    if (!linear_)
      lumped_mass_ = std::make_unique<const Vector<double>>(fem::lumped_mass(
          analysis_.discretisation(), capacity_->coefficient(), analysis_.n_components()));
    return fem::add_lumped_inertia(*lumped_mass_, v, factor, sum);
  }
  if (!linear_)
    return fem::add_inertia(analysis_.discretisation(), capacity_->coefficient(), v, factor, sum);
  Vector<double> product = make_vector("vectors");
  mass_product_->apply(const_cast<Vector<double>&>(v), product);
  gpu::axpy(sum.device(), factor, std::as_const(product).owned(), sum.owned());
}

double StepEquations::unbalanced(const Vector<double>& u, Vector<double>& r) {
  const double size = forces(u, r);
  if (capacity_ == nullptr || h_ == nullptr) return size;
  if (!linear_) capacity_->update(u);
  Vector<double> rate = make_vector("vectors");
  gpu::copy(rate.device(), h_->view(), rate.view());
  gpu::axpy(rate.device(), a_, u.view(), rate.view());
  Vector<double> inertia = make_vector("vectors");
  gpu::fill(inertia.device(), inertia.view(), 0.0);
  add_inertia(rate, 1, inertia);
  gpu::axpy(r.device(), -1, std::as_const(inertia).owned(), r.owned());
  return std::max(size, norm_of(inertia));
}

double StepEquations::residual(const Vector<double>& u, Vector<double>& r) {
  const double size = unbalanced(u, r);
  analysis_.constraints().apply(r);
  return size;
}

Vector<double> StepEquations::reactions(const Vector<double>& u) {
  Vector<double> r = make_vector("solution");
  gpu::fill(r.device(), r.view(), 0.0);
  unbalanced(u, r);
  analysis_.keep_supports(r);
  return r;
}

void StepEquations::add_mass(const fem::CellCoefficient& coefficient, double factor,
                             Matrix& matrix) const {
  const fem::Discretisation& discretisation = analysis_.discretisation();
  if (lumped_)
    fem::add_lumped_mass(fem::lumped_mass(discretisation, coefficient, analysis_.n_components()),
                         factor, matrix);
  else
    fem::add_mass(discretisation, layout_, coefficient, factor, matrix);
}

void StepEquations::add_capacity(const Vector<double>& u, Matrix& matrix) const {
  add_mass(capacity_->coefficient(), a_, matrix);
  if (!capacity_->depends_on_temperature()) return;
  Vector<double> rate = make_vector("vectors");
  gpu::copy(rate.device(), h_->view(), rate.view());
  gpu::axpy(rate.device(), a_, u.view(), rate.view());
  add_mass(capacity_->tangent(rate), 1, matrix);
}

void StepEquations::assemble_tangent(const Vector<double>& u) {
  const gpu::Device& device = analysis_.discretisation().device();
  if (!matrix_)
    matrix_ = std::make_shared<Matrix>(device, layout_.pattern, analysis_.n_components());
  if (linear_) {
    gpu::copy(device, stiffness_->values().view(), matrix_->values().view());
    if (mass_) gpu::axpy(device, a_, mass_->values().view(), matrix_->values().view());
    if (lumped_mass_) fem::add_lumped_mass(*lumped_mass_, a_, *matrix_);
  } else {
    gpu::fill(device, matrix_->values().view(), 0.0);
    analysis_.add_tangent(layout_, u, *matrix_);
    if (capacity_ != nullptr) add_capacity(u, *matrix_);
  }
}

solver::SolveResult StepEquations::correction(const Vector<double>& u, const Vector<double>& r,
                                              double target, Vector<double>& du) {
  if (!linear_ || matrix_a_ != a_) {
    assemble_tangent(u);
    analysis_.constraints().apply(*matrix_);
    solver_.set_up(matrix_);
    matrix_a_ = a_;
  }
  Vector<double> dv = make_vector("vectors");
  gpu::fill(dv.device(), dv.view(), 0.0);
  solver::SolveResult result = solver_.solve(target, r, dv);
  analysis_.constraints().expand_increment(dv, du);
  return result;
}

void StepEquations::predict(Vector<double>& u) {
  const gpu::Device& device = u.device();
  Vector<double> moved = make_vector("vectors");  // first u, then what its supports move by
  gpu::copy(device, std::as_const(u).view(), moved.view());
  analysis_.constraints().impose(moved);
  gpu::axpy(device, -1, std::as_const(u).view(), moved.view());
  Vector<double> r = make_vector("vectors"), product = make_vector("vectors");
  forces(u, r);
  assemble_tangent(u);
  solver::MatrixOperator<double>(matrix_).apply(moved, product);
  gpu::axpy(device, -1, std::as_const(product).owned(), r.owned());
  analysis_.constraints().apply(r);
  analysis_.constraints().apply(*matrix_);
  gpu::axpy(device, 1, std::as_const(moved).view(), u.view());
  solver_.set_up(matrix_);
  matrix_a_.reset();
  Vector<double> dv = make_vector("vectors"), du = make_vector("vectors");
  gpu::fill(device, dv.view(), 0.0);
  if (!solver_.solve(predictor_tolerance, r, dv).converged) return;
  analysis_.constraints().expand_increment(dv, du);
  gpu::axpy(device, 1, std::as_const(du).view(), u.view());
}

void StepEquations::solve_rate(const Vector<double>& u, Vector<double>& rate) {
  if (!linear_) capacity_->update(u);
  Vector<double> r = make_vector("vectors");
  forces(u, r);
  add_inertia(rate, -1, r);
  analysis_.constraints().apply(r);
  const gpu::Device& device = analysis_.discretisation().device();
  auto matrix = std::make_shared<Matrix>(device, layout_.pattern, analysis_.n_components());
  add_mass(capacity_->coefficient(), 1, *matrix);
  analysis_.constraints().apply(*matrix);
  solver::SolverOptions options;
  options.method = solver::Method::cg;
  options.preconditioner = solver::Preconditioner::jacobi;
  solver::LinearSolver<double> mass_solver(options, matrix, traits());
  Vector<double> dv = make_vector("vectors"), change = make_vector("vectors");
  gpu::fill(device, dv.view(), 0.0);
  const solver::SolveResult result = mass_solver.solve_to(rate_tolerance, r, dv);
  if (!result.converged)
    throw NumericalError(ExitCode::diverged,
                         "the rates at time 0 were not found: " + result.message);
  analysis_.constraints().expand_increment(dv, change);
  gpu::axpy(device, 1, std::as_const(change).view(), rate.view());
}

}  // namespace trestle::physics
