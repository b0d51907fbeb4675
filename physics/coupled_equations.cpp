#include "physics/coupled_equations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/thermal_materials.hpp"
#include "solver/krylov/inner_product.hpp"

namespace trestle::physics {
namespace {

/// Of the forces that the absolute temperatures would make, what still counts as a force: well
/// above what rounding leaves of them, well below any that matters.
constexpr double of_temperatures = 1e-8;
/// What may be left of a residual where a correction cannot do better.
constexpr double coarse = 1e-6;
/// What an equilibrium at time 0 may be off by, relative to the forces.
constexpr double equilibrium_tolerance = 1e-12;

/// factor C_i' A C_j of a coupling A between fields with constraints C.
class ConstrainedCoupling final : public solver::Coupling {
 public:
  ConstrainedCoupling(std::shared_ptr<const solver::RectangularMatrix> matrix,
                      std::shared_ptr<const double> factor, double sign,
                      const fem::Constraints& of_rows, const fem::Constraints& of_columns,
                      const gpu::Device& device)
      : matrix_(std::move(matrix)),
        factor_(std::move(factor)),
        sign_(sign),
        of_rows_(of_rows),
        of_columns_(of_columns),
        x_(device, matrix_->pattern().map, matrix_->columns(), "krylov vectors"),
        y_(device, matrix_->pattern().map, matrix_->rows(), "krylov vectors") {}

  void add(const solver::Vector<double>& x, solver::Vector<double>& y) const override {
    of_columns_.expand_increment(x, x_);
    gpu::fill(y_.device(), y_.view(), 0.0);
    matrix_->add_product(sign_ * *factor_, x_, y_);
    of_rows_.apply(y_);
    gpu::axpy(y.device(), 1, std::as_const(y_).owned(), y.owned());
  }

 private:
  std::shared_ptr<const solver::RectangularMatrix> matrix_;
  std::shared_ptr<const double> factor_;
  double sign_;
  const fem::Constraints &of_rows_, &of_columns_;
  mutable solver::Vector<double> x_, y_;
};

void check_reference_temperatures(const Problem& problem) {
  for (const Material& material : problem.materials)
    if (const auto& reference = material_expression(material, "reference_temperature", 0);
        reference.is_number() && !(reference.number() > 0))
      throw CaseError(
          reference.where(),
          fmt::format("reference_temperature of material {}: it is {:g} K, but with coupling: "
                      "two_way it must be absolute and above 0, as the heat of a deformation grows "
                      "with it; give temperatures in K or degC",
                      material.name, reference.number()));
}

bool expansion_depends_on_temperature(const Problem& problem) {
  return std::any_of(problem.materials.begin(), problem.materials.end(), [](const Material& m) {
    return material_expression(m, "thermal_expansion", 0).uses_temperature();
  });
}

}  // namespace

CoupledEquations::CoupledEquations(Analysis& analysis, StepEquations& of_heat,
                                   const solver::SolverOptions& options)
    : analysis_(analysis),
      options_(options),
      of_heat_(of_heat),
      of_solid_(analysis, options, nullptr, MassKind::consistent),
      linear_(of_solid_.linear() && of_heat_.linear() &&
              !expansion_depends_on_temperature(analysis.problem()) &&
              analysis.problem().formulation == fem::Formulation::standard),
      constant_couplings_(!expansion_depends_on_temperature(analysis.problem()) &&
                          !moduli_depend_on_temperature(analysis.problem())),
      layout_{{analysis.n_components(), 1}},
      matrix_layout_(fem::make_matrix_layout(analysis.discretisation())),
      heat_offset_(analysis.discretisation().device(), analysis.mesh().nodes, 1, "time steps"),
      solid_offset_(analysis.discretisation().device(), analysis.mesh().nodes,
                    analysis.n_components(), "time steps"),
      rate_factor_(std::make_shared<double>(0.0)) {
  check_reference_temperatures(analysis.problem());
  const gpu::Device& device = analysis.discretisation().device();
  gradient_ = std::make_shared<solver::RectangularMatrix>(device, matrix_layout_.pattern,
                                                          analysis.n_components(), 1);
  divergence_ = std::make_shared<solver::RectangularMatrix>(device, matrix_layout_.pattern, 1,
                                                            analysis.n_components());
}

solver::Vector<double> CoupledEquations::make_vector() const {
  return Vector(analysis_.discretisation().device(), analysis_.mesh().nodes, layout_.total(),
                "solution");
}

solver::Vector<double> CoupledEquations::displacement(const Vector& x) const {
  Vector u(x.device(), x.shared_map(), layout_.components[solid], "solution");
  solver::take_field(layout_, solid, x, u);
  return u;
}

solver::Vector<double> CoupledEquations::temperature(const Vector& x) const {
  Vector T(x.device(), x.shared_map(), 1, "solution");
  solver::take_field(layout_, heat, x, T);
  return T;
}

void CoupledEquations::use(const solver::StepForm& form) {
  form_ = form;
  solver::take_field(layout_, heat, *form.mass_offset, heat_offset_);
  solver::take_field(layout_, solid, *form.mass_offset, solid_offset_);
  solver::StepForm of_heat;
  of_heat.mass_factor = form.mass_factor;
  of_heat.mass_offset = &heat_offset_;
  of_heat_.use(of_heat);
  *rate_factor_ = form.mass_factor;
  force_scale_ = heat_scale_ = 0;
}

void CoupledEquations::find_equilibrium(Vector& x) {
  set_temperature(temperature(x));
  Vector u = displacement(x);
  analysis_.constraints().impose(u);
  solver::NewtonOptions options;
  options.tolerance = equilibrium_tolerance;
  solver::NewtonScales scales;
  const solver::NewtonResult result = solver::newton(of_solid_, options, scales, u);
  if (!result.converged)
    throw NumericalError(ExitCode::diverged,
                         "the displacement at time 0 was not found: " + result.message);
  solver::put_field(layout_, solid, u, x);
}

solver::Vector<double> CoupledEquations::reaction_forces(const Vector& x) {
  Vector r = unbalanced(x).force;
  analysis_.keep_supports(r);
  return r;
}

solver::Vector<double> CoupledEquations::reaction_heat(const Vector& x) {
  Vector r = unbalanced(x).heat;
  analysis_.heat()->keep_supports(r);
  return r;
}

void CoupledEquations::impose(Vector& x) const {
  Vector u = displacement(x), T = temperature(x);
  analysis_.constraints().impose(u);
  analysis_.heat()->constraints().impose(T);
  solver::put_field(layout_, solid, u, x);
  solver::put_field(layout_, heat, T, x);
}

void CoupledEquations::set_temperature(const Vector& T) {
  analysis_.set_temperature(0, T);
  of_solid_.forces_changed();
}

void CoupledEquations::assemble_couplings(const Vector& T) {
  if (constant_couplings_ && solver_) return;
  const fem::Discretisation& discretisation = analysis_.discretisation();
  const ThermalModuli moduli = analysis_.thermal_moduli(T);
  for (const auto& matrix : {gradient_, divergence_})
    gpu::fill(discretisation.device(), matrix->values().view(), 0.0);
  fem::add_gradient_coupling(discretisation, matrix_layout_, moduli.stress, *gradient_);
  fem::add_divergence_coupling(discretisation, matrix_layout_, moduli.heat, *divergence_);
}

CoupledEquations::Unbalanced CoupledEquations::unbalanced(const Vector& x) {
  const Vector u = displacement(x), T = temperature(x);
  set_temperature(T);
  assemble_couplings(T);
  Unbalanced all{Vector(u.device(), u.shared_map(), u.block()),
                 Vector(u.device(), u.shared_map(), 1), 0, 0};
  for (Vector* r : {&all.force, &all.heat}) gpu::fill(u.device(), r->view(), 0.0);
  all.force_size = of_solid_.unbalanced(u, all.force);
  all.heat_size = of_heat_.unbalanced(T, all.heat);
  Vector rate(u.device(), u.shared_map(), u.block()), warmed(u.device(), u.shared_map(), 1);
  gpu::copy(u.device(), std::as_const(solid_offset_).view(), rate.view());
  gpu::axpy(u.device(), form_.mass_factor, u.view(), rate.view());
  gpu::fill(u.device(), warmed.view(), 0.0);
  divergence_->add_product(1, rate, warmed);
  gpu::axpy(u.device(), -1, std::as_const(warmed).owned(), all.heat.owned());
  all.heat_size = std::max(all.heat_size, solver::norm(warmed));
  return all;
}

double CoupledEquations::residual(const Vector& x, Vector& r) {
  Unbalanced all = unbalanced(x);
  analysis_.constraints().apply(all.force);
  analysis_.heat()->constraints().apply(all.heat);
  if (heat_scale_ == 0) start_scales(x);
  force_scale_ = std::max(force_scale_, all.force_size);
  heat_scale_ = std::max(heat_scale_, all.heat_size);
  gpu::scale(r.device(), 1 / force_scale_, all.force.owned());
  gpu::scale(r.device(), 1 / heat_scale_, all.heat.owned());
  solver::put_field(layout_, solid, all.force, r);
  solver::put_field(layout_, heat, all.heat, r);
  return 1;
}

void CoupledEquations::start_scales(const Vector& x) {
  const Vector T = temperature(x);
  Vector force(T.device(), T.shared_map(), layout_.components[solid]),
      heat_of_rate(T.device(), T.shared_map(), 1);
  gpu::fill(T.device(), force.view(), 0.0);
  gradient_->add_product(1, T, force);
  of_heat_.apply_mass(T, heat_of_rate);
  const auto floor = [](double size) { return size > 0 ? of_temperatures * size : 1; };
  force_scale_ = least_force_ = floor(solver::norm(force));
  heat_scale_ = least_heat_ = floor(form_.mass_factor * solver::norm(heat_of_rate));
}

void CoupledEquations::make_solver() {
  const gpu::Device& device = analysis_.discretisation().device();
  const fem::Constraints &of_solid = analysis_.constraints(),
                         &of_heat = analysis_.heat()->constraints();
  const auto one = std::make_shared<const double>(1.0);
  const auto force =
      std::make_shared<const ConstrainedCoupling>(gradient_, one, -1.0, of_solid, of_heat, device);
  const auto warming = std::make_shared<const ConstrainedCoupling>(divergence_, rate_factor_, 1.0,
                                                                   of_heat, of_solid, device);
  solver_ = std::make_unique<solver::BlockSolver>(
      options_,
      std::vector<solver::FieldMatrix>{{of_solid_.matrix(), of_solid_.traits()},
                                       {of_heat_.matrix(), of_heat_.traits()}},
      std::vector<solver::FieldCoupling>{{solid, heat, force}, {heat, solid, warming}});
}

void CoupledEquations::note_bases(const Vector& x) {
  for (const int field : {solid, heat}) {
    Basis& basis = bases_[static_cast<std::size_t>(field)];
    if (basis.n_set_ups == solver_->n_set_ups(field)) continue;
    basis = {analysis_.time(), form_.mass_factor, {}, {}, solver_->n_set_ups(field)};
    if (linear_) continue;
    for (auto [from, to] : {std::pair{&x, &basis.x}, {form_.mass_offset, &basis.mass_offset}}) {
      to->emplace(make_vector());
      gpu::copy(x.device(), from->view(), (*to)->view());
    }
  }
}

void CoupledEquations::visit(solver::StateVisitor& visitor) {
  bool exists = solver_ != nullptr;
  visitor.number("coupled.solver_exists", exists);
  if (!exists) return;
  for (std::size_t field = 0; field < bases_.size(); ++field) {
    Basis& basis = bases_[field];
    const std::string name = fmt::format("coupled.basis.{}.", field);
    visitor.value(name + "time", basis.time);
    visitor.value(name + "mass_factor", basis.mass_factor);
    if (linear_) continue;
    for (auto [part, vector] :
         {std::pair{"x", &basis.x}, std::pair{"mass_offset", &basis.mass_offset}}) {
      if (!*vector) vector->emplace(make_vector());
      visitor.nodal(name + part, **vector);
    }
  }
  if (visitor.loading()) make_solver_from_bases();
}

void CoupledEquations::make_solver_from_bases() {
  Vector zero = make_vector();
  gpu::fill(zero.device(), zero.view(), 0.0);
  solver_.reset();
  for (const int field : {solid, heat}) {
    const Basis& basis = bases_[static_cast<std::size_t>(field)];
    const Vector& x = basis.x ? *basis.x : zero;
    analysis_.set_time(basis.time);
    analysis_.heat()->set_time(basis.time);
    of_solid_.forces_changed();
    of_heat_.forces_changed();
    solver::StepForm form;
    form.mass_factor = basis.mass_factor;
    form.mass_offset = basis.mass_offset ? &*basis.mass_offset : &zero;
    use(form);
    unbalanced(x);  // materials, capacity and couplings follow x
    if (field == solid)
      of_solid_.update_matrix(displacement(x));
    else
      of_heat_.update_matrix(temperature(x));
  }
  make_solver();
  for (const int field : {solid, heat})
    bases_[static_cast<std::size_t>(field)].n_set_ups = solver_->n_set_ups(field);
  form_ = {};
}

solver::SolveResult CoupledEquations::correction(const Vector& x, const Vector& r, double target,
                                                 Vector& dx) {
  const bool new_solid = of_solid_.update_matrix(displacement(x));
  const bool new_heat = of_heat_.update_matrix(temperature(x));
  if (!solver_) {
    make_solver();
  } else {
    if (new_solid) solver_->update(solid);
    if (new_heat) solver_->update(heat);
  }
  solver_->set_row_scales({1 / force_scale_, 1 / heat_scale_});
  Vector dv = make_vector();
  // Where the size of the forces is not known yet, the next correction brings the rest.
  const bool known = force_scale_ > 10 * least_force_ && heat_scale_ > 10 * least_heat_;
  solver::SolveResult result =
      solver_->solve(known ? target : std::max(target, coarse), r, dv, observer_);
  note_bases(x);
  // As far as rounding lets it come, it is a correction: the residual that follows judges it.
  if (result.reason == solver::Reason::stagnated && result.true_relative_residual <= coarse)
    result.converged = true;
  Vector du = displacement(dv), dT = temperature(dv);
  analysis_.constraints().expand_increment(displacement(dv), du);
  analysis_.heat()->constraints().expand_increment(temperature(dv), dT);
  solver::put_field(layout_, solid, du, dx);
  solver::put_field(layout_, heat, dT, dx);
  return result;
}

}  // namespace trestle::physics
