#include "physics/harmonic.hpp"

#include <fmt/format.h>

#include <numbers>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/matrix/block_system.hpp"

namespace trestle::physics {
namespace {

solver::SolverOptions direct() {
  solver::SolverOptions options;
  options.method = solver::Method::direct;
  return options;
}

/// Symmetric and indefinite; factors need no near-null space.
solver::MatrixTraits traits_of(const Analysis& analysis) {
  solver::MatrixTraits traits;
  traits.positive_definite = false;
  traits.dim = analysis.mesh().dim;
  return traits;
}

}  // namespace

std::string frequency_name(double frequency) { return fmt::format("{:.10g} Hz", frequency); }

HarmonicProblem::HarmonicProblem(const Analysis& analysis)
    : analysis_(analysis),
      density_(analysis.make_capacity()),
      solver_(direct(), traits_of(analysis)),
      loads_(analysis.forces_at_zero()) {
  const fem::Discretisation& discretisation = analysis.discretisation();
  const fem::MatrixLayout layout = fem::make_matrix_layout(discretisation);
  const int n = analysis.n_components();
  const auto make_matrix = [&](int block) {
    return std::make_shared<solver::BlockMatrix<double>>(discretisation.device(), layout.pattern,
                                                         block);
  };
  Vector rest = make_vector("vectors");
  gpu::fill(rest.device(), rest.view(), 0.0);
  const auto K = make_matrix(n), M = make_matrix(n);
  analysis.add_tangent(layout, rest, *K);
  analysis.constraints().apply(*K);
  if (analysis.problem().analysis.mass == MassKind::lumped) {
    lumped_ =
        std::make_unique<const Vector>(fem::lumped_mass(discretisation, density_.coefficient(), n));
    fem::add_lumped_mass(*lumped_, 1.0, *M);
  } else {
    fem::add_mass(discretisation, layout, density_.coefficient(), 1.0, *M);
  }
  analysis.constraints().apply_mass(*M);
  K_ = K;
  M_ = M;
  system_ = make_matrix(2 * n);
}

HarmonicProblem::Vector HarmonicProblem::make_vector(const char* item) const {
  return Vector(analysis_.discretisation().device(), analysis_.mesh().nodes,
                analysis_.n_components(), item);
}

void HarmonicProblem::add_products(double k, double m, const Vector& x, Vector& sum) const {
  if (k != 0) analysis_.cells().add_internal_force(x, {}, k, sum);
  if (m == 0) return;
  if (lumped_)
    fem::add_lumped_inertia(*lumped_, x, m, sum);
  else
    fem::add_inertia(analysis_.discretisation(), density_.coefficient(), x, m, sum);
}

solver::HarmonicFactors HarmonicProblem::factors_at(double frequency) const {
  const AnalysisOptions::Damping& damping = analysis_.problem().analysis.damping;
  return {2 * std::numbers::pi * frequency, damping.mass, damping.stiffness, damping.loss_factor};
}

void HarmonicProblem::factor(double frequency) {
  solver::make_harmonic_matrix(*K_, *M_, factors_at(frequency), *system_);
  solver_.set_up(system_);
}

State HarmonicProblem::respond(double frequency, double tolerance, bool with_reactions,
                               solver::SolveResult& result) {
  factor(frequency);
  const AnalysisOptions::Damping& damping = analysis_.problem().analysis.damping;
  const solver::HarmonicFactors factors = factors_at(frequency);
  const double omega = factors.omega;

  // What supports that move do to the rest.
  const fem::Constraints& constraints = analysis_.constraints();
  const gpu::Device& device = loads_.device();
  const Vector& g = constraints.prescribed();
  Vector real = make_vector("vectors"), imaginary = make_vector("vectors");
  gpu::copy(device, loads_.view(), real.view());
  gpu::fill(device, imaginary.view(), 0.0);
  add_products(-1, omega * omega, g, real);
  add_products(damping.loss_factor + omega * damping.stiffness, omega * damping.mass, g, imaginary);
  constraints.apply(real);
  constraints.apply(imaginary);  // of [f; -g] with the sign turned already

  const int n = analysis_.n_components();
  const solver::FieldLayout layout{{n, n}};
  Vector b(device, real.shared_map(), 2 * n, "vectors"),
      x(device, real.shared_map(), 2 * n, "vectors");
  solver::put_field(layout, 0, real, b);
  solver::put_field(layout, 1, imaginary, b);
  gpu::fill(device, x.view(), 0.0);
  result = solver_.solve(tolerance, b, x);
  if (!result.converged)
    throw NumericalError(
        ExitCode::diverged,
        fmt::format("no response at {}: {}; without damping there is none at a resonance",
                    frequency_name(frequency), result.message));
  solver::take_field(layout, 0, x, real);
  solver::take_field(layout, 1, x, imaginary);
  Vector u = analysis_.expand(real), v = make_vector("solution");
  constraints.expand_increment(imaginary, v);
  State state{.name = frequency_name(frequency),
              .u = std::move(u),
              .thermal = std::make_shared<const fem::ThermalStrain>()};
  if (with_reactions) state.reactions = reactions(factors, state.u, v);
  state.imaginary = std::move(v);
  return state;
}

HarmonicProblem::Vector HarmonicProblem::reactions(const solver::HarmonicFactors& factors,
                                                   const Vector& u, const Vector& v) const {
  const double omega = factors.omega;
  Vector r = make_vector("solution");
  gpu::copy(r.device(), loads_.view(), r.view());
  add_products(-1, omega * omega, u, r);
  add_products(factors.loss_factor + omega * factors.stiffness_damping,
               omega * factors.mass_damping, v, r);
  analysis_.keep_supports(r);
  return r;
}

}  // namespace trestle::physics
