#include "physics/step_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/cell_state.hpp"
#include "solver/krylov/inner_product.hpp"

namespace trestle::physics {
namespace {

using solver::Vector;

/// What a rate at time 0 may be off by, relative to the forces.
constexpr double rate_tolerance = 1e-10;
/// What a first guess may be off by.
constexpr double predictor_tolerance = 1e-4;

}  // namespace

StepEquations::StepEquations(Analysis& analysis, const solver::SolverOptions& options,
                             Capacity* capacity, MassKind mass)
    : analysis_(analysis),
      capacity_(capacity),
      linear_(analysis.constant() && (capacity == nullptr || (!capacity->depends_on_temperature() &&
                                                              capacity->latent_heat() == nullptr))),
      lumped_(mass == MassKind::lumped),
      layout_(fem::make_matrix_layout(analysis.discretisation())),
      solver_(options, traits()) {
  if (linear_) assemble_stiffness();
  if (capacity_ != nullptr && !capacity_->depends_on_temperature()) assemble_mass();
}

solver::MatrixTraits StepEquations::traits() const { return analysis_.matrix_traits(); }

Vector<double> StepEquations::make_vector(const char* item) const {
  return Vector<double>(analysis_.discretisation().device(), analysis_.mesh().nodes,
                        analysis_.n_components(), item);
}

Vector<double> StepEquations::copy_of(const Vector<double>& from) const {
  Vector<double> copy = make_vector("vectors");
  gpu::copy(copy.device(), from.view(), copy.view());
  return copy;
}

std::shared_ptr<StepEquations::Matrix> StepEquations::make_matrix() const {
  return std::make_shared<Matrix>(analysis_.discretisation().device(), layout_.pattern,
                                  analysis_.n_components());
}

void StepEquations::assemble_stiffness() {
  const std::shared_ptr<Matrix> stiffness = make_matrix();
  Vector<double> rest = make_vector("vectors");
  gpu::fill(rest.device(), rest.view(), 0.0);
  analysis_.add_tangent(layout_, rest, *stiffness);
  stiffness_ = stiffness;
  stiffness_product_ = std::make_unique<const solver::MatrixOperator<double>>(stiffness_);
}

void StepEquations::assemble_mass() {
  if (analysis_.rates() != nullptr) {
    const std::shared_ptr<Matrix> mass = make_matrix();
    Vector<double> rest = make_vector("vectors");
    gpu::fill(rest.device(), rest.view(), 0.0);
    analysis_.rates()->add_stiffness(layout_, rest, {}, *mass);
    mass_ = mass;
    mass_product_ = std::make_unique<const solver::MatrixOperator<double>>(mass_);
    return;
  }
  if (lumped_) {
    lumped_mass_ = std::make_unique<const Vector<double>>(fem::lumped_mass(
        analysis_.discretisation(), capacity_->coefficient(), analysis_.n_components()));
    return;
  }
  const std::shared_ptr<Matrix> mass = make_matrix();
  fem::add_mass(analysis_.discretisation(), layout_, capacity_->coefficient(), 1, *mass);
  mass_ = mass;
  mass_product_ = std::make_unique<const solver::MatrixOperator<double>>(mass_);
}

const Vector<double>& StepEquations::forces_at_zero() {
  if (!forces_at_zero_)
    forces_at_zero_ = std::make_unique<const Vector<double>>(analysis_.forces_at_zero());
  return *forces_at_zero_;
}

double StepEquations::forces(const Vector<double>& u, Vector<double>& r) {
  Vector<double> internal = make_vector("vectors");
  if (linear_) {
    apply_stiffness(u, internal);
    gpu::copy(r.device(), forces_at_zero().view(), r.view());
  } else {
    analysis_.set_state(u);
    gpu::copy(r.device(), analysis_.external(0, u).view(), r.view());
    gpu::fill(internal.device(), internal.view(), 0.0);
    analysis_.add_internal_force(0, u, 1, internal);
  }
  const double size = std::max(solver::norm(r), solver::norm(internal));
  gpu::axpy(r.device(), -1, std::as_const(internal).owned(), r.owned());
  return size;
}

void StepEquations::apply_stiffness(const Vector<double>& v, Vector<double>& product) {
  if (!stiffness_) assemble_stiffness();
  // The product brings the ghosts of its argument up to date, which they are already.
  stiffness_product_->apply(const_cast<Vector<double>&>(v), product);
}

void StepEquations::apply_mass(const Vector<double>& v, Vector<double>& product) {
  if (mass_) return mass_product_->apply(const_cast<Vector<double>&>(v), product);
  gpu::fill(product.device(), product.view(), 0.0);
  if (capacity_->depends_on_temperature() && !lumped_)
    return fem::add_inertia(analysis_.discretisation(), capacity_->coefficient(), v, 1, product);
  if (capacity_->depends_on_temperature()) assemble_mass();
  fem::add_lumped_inertia(*lumped_mass_, v, 1, product);
}

double StepEquations::subtract_rates(const Vector<double>& u, Vector<double>& r) {
  Vector<double> rate = make_vector("vectors"), product = make_vector("vectors");
  double size = 0;
  const auto subtract = [&](double factor, const Vector<double>* offset, const auto& apply) {
    if (offset == nullptr) return;
    gpu::copy(rate.device(), offset->view(), rate.view());
    gpu::axpy(rate.device(), factor, u.view(), rate.view());
    apply(rate, product);
    size = std::max(size, solver::norm(product));
    gpu::axpy(r.device(), -1, std::as_const(product).owned(), r.owned());
  };
  if (!stores_enthalpy())
    subtract(form_.mass_factor, form_.mass_offset,
             [&](const auto& v, auto& mv) { apply_mass(v, mv); });
  if (form_.content_offset != nullptr || stores_enthalpy()) {
    content(u, product);
    gpu::scale(product.device(), form_.mass_factor, product.owned());
    if (form_.content_offset != nullptr)
      gpu::axpy(product.device(), 1, form_.content_offset->owned(), product.owned());
    size = std::max(size, solver::norm(product));
    gpu::axpy(r.device(), -1, std::as_const(product).owned(), r.owned());
  }
  subtract(form_.stiffness_factor, form_.stiffness_offset,
           [&](const auto& v, auto& kv) { apply_stiffness(v, kv); });
  return size;
}

void StepEquations::content(const Vector<double>& u, Vector<double>& w) const {
  gpu::fill(w.device(), w.view(), 0.0);
  if (capacity_->latent_heat() != nullptr) capacity_->latent_heat()->content(u, w);
  if (capacity_->enthalpy() != nullptr) capacity_->enthalpy()->add(u, w);
}

double StepEquations::stored_rate(const Vector<double>& u) {
  Vector<double> r = make_vector("vectors"), ones = make_vector("vectors");
  gpu::fill(r.device(), r.view(), 0.0);
  gpu::fill(r.device(), ones.view(), 1.0);
  subtract_rates(u, r);
  return -solver::dot(ones, r);
}

void StepEquations::limit(const Vector<double>& u, Vector<double>& du) const {
  if (capacity_ == nullptr || capacity_->latent_heat() == nullptr) return;
  if (lumped_mass_) return capacity_->latent_heat()->limit(*lumped_mass_, u, du);
  capacity_->latent_heat()->limit(
      fem::lumped_mass(analysis_.discretisation(), capacity_->coefficient(), 1), u, du);
}

double StepEquations::unbalanced(const Vector<double>& u, Vector<double>& r) {
  if (capacity_ != nullptr && capacity_->depends_on_temperature()) capacity_->update(u);
  const double size = forces(u, r);
  if (form_.carried != nullptr) gpu::axpy(r.device(), 1, form_.carried->owned(), r.owned());
  return std::max(size, subtract_rates(u, r));
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
  const double factor = form_.mass_factor;
  if (capacity_->latent_heat() != nullptr) {
    Vector<double> slope = make_vector("vectors");
    gpu::fill(slope.device(), slope.view(), 0.0);
    capacity_->latent_heat()->slope(u, slope);
    fem::add_lumped_mass(slope, factor, matrix);
  }
  if (mass_)
    return gpu::axpy(matrix.device(), factor, mass_->values().view(), matrix.values().view());
  if (!capacity_->depends_on_temperature())
    return fem::add_lumped_mass(*lumped_mass_, factor, matrix);
  if (stores_enthalpy() && capacity_->enthalpy()->is_lumped()) {
    Vector<double> slope = make_vector("vectors");
    gpu::fill(slope.device(), slope.view(), 0.0);
    capacity_->enthalpy()->add_slope(u, slope);
    return fem::add_lumped_mass(slope, factor, matrix);
  }
  add_mass(capacity_->coefficient(), factor, matrix);
  if (stores_enthalpy()) return;  // its slope is the capacity
  // Of a lumped capacity the change with temperature is not diagonal; without it the corrections
  // still lead to the solution.
  if (lumped_) return;
  Vector<double> rate = make_vector("vectors");
  gpu::copy(rate.device(), form_.mass_offset->view(), rate.view());
  gpu::axpy(rate.device(), factor, u.view(), rate.view());
  add_mass(capacity_->tangent(rate), 1, matrix);
}

void StepEquations::assemble_tangent(const Vector<double>& u) {
  const gpu::Device& device = analysis_.discretisation().device();
  if (!matrix_) matrix_ = make_matrix();
  const double damping = form_.stiffness_factor;
  if (linear_) {
    gpu::copy(device, stiffness_->values().view(), matrix_->values().view());
    gpu::scale(device, 1 + damping, matrix_->values().view());
  } else {
    gpu::fill(device, matrix_->values().view(), 0.0);
    analysis_.add_tangent(layout_, u, *matrix_);
    if (damping != 0)
      gpu::axpy(device, damping, stiffness_->values().view(), matrix_->values().view());
  }
  if (form_.mass_offset != nullptr) add_capacity(u, *matrix_);
}

void StepEquations::set_up_at(const Vector<double>& u) {
  assemble_tangent(u);
  analysis_.constraints().apply(*matrix_);
  solver_.set_up(matrix_);
}

bool StepEquations::update_matrix(const Vector<double>& u) {
  const std::array<double, 2> factors{form_.mass_factor, form_.stiffness_factor};
  if (linear_ && matrix_factors_ == factors) return false;
  assemble_tangent(u);
  analysis_.constraints().apply(*matrix_);
  matrix_factors_ = factors;
  return true;
}

solver::SolveResult StepEquations::correction(const Vector<double>& u, const Vector<double>& r,
                                              double target, Vector<double>& du) {
  if (update_matrix(u)) solver_.set_up(matrix_);
  Vector<double> dv = make_vector("vectors");
  gpu::fill(dv.device(), dv.view(), 0.0);
  solver::SolveResult result = solver_.solve(target, r, dv, observer_);
  note_basis(u);
  analysis_.constraints().expand_increment(dv, du);
  return result;
}

void StepEquations::predict(Vector<double>& u) {
  const gpu::Device& device = u.device();
  const Vector<double> start = copy_of(u);
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
  matrix_factors_.reset();
  Vector<double> dv = make_vector("vectors"), du = make_vector("vectors");
  gpu::fill(device, dv.view(), 0.0);
  const bool converged = solver_.solve(predictor_tolerance, r, dv, observer_).converged;
  note_basis(start);
  if (!converged) return;
  analysis_.constraints().expand_increment(dv, du);
  gpu::axpy(device, 1, std::as_const(du).view(), u.view());
}

void StepEquations::solve_rate(const Vector<double>& u, const Vector<double>* c,
                               Vector<double>& rate) {
  if (capacity_->depends_on_temperature()) capacity_->update(u);
  Vector<double> r = make_vector("vectors"), product = make_vector("vectors");
  forces(u, r);
  if (c != nullptr) gpu::axpy(r.device(), 1, c->owned(), r.owned());
  apply_mass(rate, product);
  gpu::axpy(r.device(), -1, std::as_const(product).owned(), r.owned());
  analysis_.constraints().apply(r);
  const gpu::Device& device = analysis_.discretisation().device();
  const std::shared_ptr<Matrix> matrix = make_matrix();
  if (mass_)
    gpu::copy(device, mass_->values().view(), matrix->values().view());
  else
    add_mass(capacity_->coefficient(), 1, *matrix);
  analysis_.constraints().apply(*matrix);
  solver::SolverOptions options;
  options.method = analysis_.rates() == nullptr ? solver::Method::cg : solver::Method::gmres;
  options.preconditioner = solver::Preconditioner::jacobi;
  solver::LinearSolver<double> mass_solver(options, matrix, traits());
  Vector<double> dv = make_vector("vectors"), change = make_vector("vectors");
  gpu::fill(device, dv.view(), 0.0);
  const solver::SolveResult result = mass_solver.solve_to(rate_tolerance, r, dv, observer_);
  if (!result.converged)
    throw NumericalError(ExitCode::diverged,
                         "the rates at time 0 were not found: " + result.message);
  analysis_.constraints().expand_increment(dv, change);
  gpu::axpy(device, 1, std::as_const(change).view(), rate.view());
}

void StepEquations::note_basis(const Vector<double>& u) {
  if (n_set_ups_ == solver_.n_set_ups()) return;
  n_set_ups_ = solver_.n_set_ups();
  basis_ = {analysis_.time(), analysis_.load_factor(), form_.mass_factor, form_.stiffness_factor};
  if (linear_ || !solver_.keeps()) return;
  basis_.u = copy_of(u);
  if (form_.mass_offset != nullptr) basis_.mass_offset = copy_of(*form_.mass_offset);
  basis_.n_accepted = analysis_.n_accepted();
  if (basis_.n_accepted == 0) return;
  for (const gpu::Array<double>& block : analysis_.history()) {
    basis_.history.emplace_back(block.device(), block.size(), "history");
    gpu::copy(block.device(), block.view(), basis_.history.back().view());
  }
}

void StepEquations::visit(solver::StateVisitor& visitor) {
  bool keeps = solver_.keeps();
  visitor.number("equations.keeps", keeps);
  if (!keeps) return;
  bool current = matrix_factors_.has_value();
  std::array<double, 2> factors = matrix_factors_.value_or(std::array<double, 2>{});
  visitor.number("equations.has_factors", current);
  visitor.value("equations.mass_factor", factors[0]);
  visitor.value("equations.stiffness_factor", factors[1]);
  visit_basis(visitor);
  if (visitor.loading()) set_up_from_basis();
  solver_.visit(visitor);
  if (!visitor.loading()) return;
  matrix_factors_.reset();
  if (!linear_ || !current) return;
  if (factors != std::array{basis_.mass_factor, basis_.stiffness_factor})
    set_up_with(factors[0], factors[1], make_vector("vectors"));
  matrix_factors_ = factors;
}

void StepEquations::visit_basis(solver::StateVisitor& visitor) {
  visitor.value("equations.basis.time", basis_.time);
  visitor.value("equations.basis.load_factor", basis_.load_factor);
  visitor.value("equations.basis.mass_factor", basis_.mass_factor);
  visitor.value("equations.basis.stiffness_factor", basis_.stiffness_factor);
  const auto visit_vector = [&](const std::string& name, std::optional<Vector<double>>& vector) {
    bool exists = vector.has_value();
    visitor.number(name + "_exists", exists);
    if (!exists) return vector.reset();
    if (!vector) vector.emplace(make_vector("vectors"));
    visitor.nodal(name, *vector);
  };
  visit_vector("equations.basis.u", basis_.u);
  visit_vector("equations.basis.mass_offset", basis_.mass_offset);
  visitor.number("equations.basis.n_accepted", basis_.n_accepted);
  if (basis_.n_accepted == 0 || analysis_.history().empty()) return;
  if (visitor.loading()) {
    basis_.history.clear();
    for (const gpu::Array<double>& block : analysis_.history())
      basis_.history.emplace_back(block.device(), block.size(), "history");
  }
  visit_cells(visitor, "equations.basis.history", analysis_.mesh(), basis_.history);
}

void StepEquations::set_up_from_basis() {
  analysis_.set_time(basis_.time, basis_.load_factor);
  for (std::size_t b = 0; b < basis_.history.size(); ++b)
    gpu::copy(basis_.history[b].device(), std::as_const(basis_.history[b]).view(),
              analysis_.history()[b].view());
  if (basis_.u) {
    if (capacity_ != nullptr && capacity_->depends_on_temperature()) capacity_->update(*basis_.u);
    analysis_.set_state(*basis_.u);
  }
  set_up_with(basis_.mass_factor, basis_.stiffness_factor,
              basis_.u ? copy_of(*basis_.u) : make_vector("vectors"));
  n_set_ups_ = solver_.n_set_ups();
}

void StepEquations::set_up_with(double mass_factor, double stiffness_factor,
                                const Vector<double>& u) {
  form_ = {};
  form_.mass_factor = mass_factor;
  form_.stiffness_factor = stiffness_factor;
  // Linear equations ask only whether there is one.
  if (capacity_ != nullptr) form_.mass_offset = basis_.mass_offset ? &*basis_.mass_offset : &u;
  set_up_at(u);
  form_ = {};
}

}  // namespace trestle::physics
