// The equations of a step: tangents against differences, order in time and space, balance of heat.
#include "physics/step_equations.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu/vector_ops.hpp"
#include "physics/initial_state.hpp"
#include "solver/steps/rate_scheme.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

using physics::StepEquations;
using solver::Vector;

solver::SolverOptions direct() {
  solver::SolverOptions options;
  options.method = solver::Method::direct;
  return options;
}

double norm(const Vector<double>& v) {
  return std::sqrt(v.map().comm().sum(gpu::norm2_squared(v.device(), v.owned())));
}

class StepEquationsTest : public OnEachDevice {
 protected:
  /// k(T), c(T) and radiation on a sheared box, in the form that keeps capacities: others store
  /// enthalpy (enthalpy_test.cpp).
  physics::Problem nonlinear_problem() {
    physics::Problem problem{.physics = "heat"};
    problem.analysis.scheme = physics::TimeScheme::crank_nicolson;
    problem.materials = {material({{"conductivity", {"2 + 0.01*T + 1e-5*T^2"}},
                                   {"density", {"3 + x"}},
                                   {"specific_heat", {"5 + 0.02*T"}}})};
    problem.conditions = {condition("temperature", {"xmin"}, {"300 + 10*y"}),
                          condition("source", {"body"}, {"100*x"})};
    physics::Condition radiation = condition("radiation", {"xmax"}, {});
    radiation.parameters = {{"emissivity", value({"0.8"})}, {"ambient", value({"400"})}};
    problem.conditions.push_back(radiation);
    return problem;
  }
  Vector<double> field(const physics::Analysis& analysis, double scale) {
    Vector<double> u(device(), analysis.mesh().nodes, 1, "solution");
    const auto values = gpu::write(u.values());
    const auto ids = analysis.mesh().nodes->ids();
    for (Offset i = 0; i < u.n_local(); ++i)
      values[i] =
          scale * std::sin(1.0 + 0.7 * static_cast<double>(ids[static_cast<std::size_t>(i)]));
    return u;
  }
};
TRESTLE_ON_EACH_DEVICE(StepEquationsTest);

/// r(u) - r(u + e w) = e K w to second order: the difference quotient of two lengths falls in
/// proportion.
TEST_P(StepEquationsTest, CorrectionsUndoSmallChangesOfTheResidual) {
  for (const mesh::CellType cell : {mesh::CellType::quad4, mesh::CellType::tet10}) {
    const auto mesh = box_mesh(world(), cell, 3, 0.05);
    physics::Analysis analysis(device(), mesh, nonlinear_problem());
    physics::Capacity capacity = analysis.make_capacity();
    StepEquations equations(analysis, direct(), &capacity, physics::MassKind::consistent);
    ASSERT_FALSE(equations.linear());
    Vector<double> u = field(analysis, 20), w = field(analysis, 1), h = field(analysis, 3);
    Vector<double> base(device(), mesh->nodes, 1);
    gpu::fill(device(), base.view(), 350);
    gpu::axpy(device(), 1, std::as_const(base).view(), u.view());
    analysis.constraints().impose(u);
    gpu::fill(device(), base.view(), 0);  // w has no part in prescribed values
    analysis.constraints().impose(base);
    const Vector<double>& g = analysis.constraints().prescribed();
    analysis.constraints().impose(w);
    gpu::axpy(device(), -1, g.view(), w.view());
    equations.use({.mass_factor = 0.4, .mass_offset = &h});

    Vector<double> r(device(), mesh->nodes, 1), moved_r(device(), mesh->nodes, 1),
        du(device(), mesh->nodes, 1), moved(device(), mesh->nodes, 1);
    const auto error_of = [&](double length) {
      gpu::copy(device(), std::as_const(u).view(), moved.view());
      gpu::axpy(device(), length, std::as_const(w).view(), moved.view());
      equations.residual(moved, moved_r);
      equations.residual(u, r);
      gpu::axpy(device(), -1, std::as_const(moved_r).owned(), r.owned());  // r(u) - r(moved)
      gpu::fill(device(), du.view(), 0);
      const solver::SolveResult solve = equations.correction(u, r, 1e-12, du);
      EXPECT_TRUE(solve.converged);
      gpu::axpy(device(), -length, std::as_const(w).view(), du.view());
      return norm(du) / (length * norm(w));
    };
    const double coarse = error_of(1e-2), fine = error_of(1e-3);
    EXPECT_LT(coarse, 1e-2) << cell_name(cell);
    EXPECT_NEAR(coarse / fine, 10, 1) << cell_name(cell);
  }
}

/// A lumped capacity that changes with temperature has no diagonal tangent; the one without its
/// change in space still leads to the solution.
TEST_P(StepEquationsTest, LumpedCapacitiesByTemperatureConverge) {
  const auto mesh = box_mesh(world(), mesh::CellType::hex8, 3, 0.05);
  physics::Analysis analysis(device(), mesh, nonlinear_problem());
  physics::Capacity capacity = analysis.make_capacity();
  StepEquations equations(analysis, direct(), &capacity, physics::MassKind::lumped);
  Vector<double> u(device(), mesh->nodes, 1), h(device(), mesh->nodes, 1);
  gpu::fill(device(), u.view(), 350);
  gpu::fill(device(), h.view(), -350 * 0.4);
  analysis.constraints().impose(u);
  equations.use({.mass_factor = 0.4, .mass_offset = &h});
  solver::NewtonScales scales;
  const solver::NewtonResult result = solver::newton(equations, {.tolerance = 1e-11}, scales, u);
  EXPECT_TRUE(result.converged) << result.message;
  EXPECT_LE(result.iterations.size(), 8U);
}

/// T = (2 + sin x cos 2y) (1 + t^2 / 2 ...) solves rho c T' = div k grad T + s with s from an
/// expression; the error at the end falls as the scheme and the cells say.
struct Manufactured {
  std::string exact = "(2 + sin(x)*cos(2*y))*exp(-t)";
  std::string source = "-(2 + sin(x)*cos(2*y))*exp(-t) + 5*sin(x)*cos(2*y)*exp(-t)";
};

double error_at_end(const gpu::Device& device, mesh::CellType cell, Index n, solver::RateKind kind,
                    int n_steps) {
  const auto mesh = box_mesh(world(), cell, n, 0.05);
  const Manufactured manufactured;
  physics::Problem problem{.physics = "heat"};
  problem.materials = {
      material({{"conductivity", {"1"}}, {"density", {"1"}}, {"specific_heat", {"1"}}})};
  problem.conditions = {condition("source", {"body"}, {manufactured.source}),
                        condition("temperature", boundary(mesh->dim), {manufactured.exact})};
  problem.initial = {condition("temperature", {}, {"2 + sin(x)*cos(2*y)"})};
  physics::Analysis analysis(device, mesh, problem);
  physics::Capacity capacity = analysis.make_capacity();
  StepEquations equations(analysis, direct(), &capacity, physics::MassKind::consistent);
  Vector<double> u = physics::initial_field(analysis, "temperature", 0);
  Vector<double> rate(device, mesh->nodes, 1);
  gpu::copy(device, std::as_const(u).view(), rate.view());  // u' = -u at time 0
  gpu::scale(device, -1, rate.view());
  solver::RateScheme scheme(kind, u, rate);
  for (int k = 1; k <= n_steps; ++k) {
    analysis.set_time(static_cast<double>(k) / n_steps);
    equations.forces_changed();
    equations.use(scheme.begin(1.0 / n_steps));
    scheme.predict(u);
    analysis.constraints().impose(u);
    solver::NewtonScales scales;
    const solver::NewtonResult result = solver::newton(equations, {.tolerance = 1e-11}, scales, u);
    EXPECT_TRUE(result.converged) << result.message;
    scheme.accept(u);
  }
  double sum = 0;  // nodes
  const auto values = gpu::read(u.values());
  for (Index i = 0; i < mesh->nodes->n_owned(); ++i) {
    const fem::Vec3 x = fem::node_place(*mesh, i);
    const double exact = (2 + std::sin(x[0]) * std::cos(2 * x[1])) * std::exp(-1.0);
    sum += std::pow(values[i] - exact, 2);
  }
  return std::sqrt(world().sum(sum) / static_cast<double>(mesh->nodes->n_global()));
}

TEST_P(StepEquationsTest, ErrorsFallWithTheOrderOfTheSchemeInTime) {
  struct {
    solver::RateKind kind;
    double order;
  } const schemes[] = {{solver::RateKind::backward_euler, 1},
                       {solver::RateKind::crank_nicolson, 2},
                       {solver::RateKind::bdf2, 2}};
  for (const auto& scheme : schemes) {
    // Quadratic cells leave an error in space far below that in time.
    const double coarse = error_at_end(device(), mesh::CellType::quad9, 10, scheme.kind, 8),
                 fine = error_at_end(device(), mesh::CellType::quad9, 10, scheme.kind, 16);
    EXPECT_NEAR(std::log2(coarse / fine), scheme.order, 0.1)
        << static_cast<int>(scheme.kind) << ": " << coarse << " " << fine;
  }
}

}  // namespace
}  // namespace trestle::test
