// Harmonic response against the closed form of a bar of lumped masses, damped in every way.
#include "physics/harmonic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

using Complex = std::complex<double>;

constexpr int n_cells = 4;
constexpr double young = 4, density = 3, pull = 0.1;

/// Moves along x alone, held at x = 0 and pulled at x = 1.
physics::Problem bar(int dim) {
  physics::Problem problem{.physics = "elasticity"};
  if (dim == 2) problem.model = "plane_stress";
  problem.materials = {material({{"young", {"4"}}, {"poisson", {"0"}}, {"density", {"3"}}})};
  std::vector<std::string> sideways(static_cast<std::size_t>(dim), "0"), held = sideways,
                                                                         load = sideways;
  sideways[0] = "";
  for (std::size_t d = 1; d < held.size(); ++d) held[d] = "";
  load[0] = "0.1";
  problem.conditions = {condition("displacement", {"body"}, sideways),
                        condition("displacement", {"xmin"}, held),
                        condition("traction", {"xmax"}, load)};
  problem.analysis.type = physics::AnalysisType::harmonic;
  problem.analysis.mass = physics::MassKind::lumped;
  problem.analysis.damping = {.mass = 0.2, .stiffness = 0.03, .loss_factor = 0.04};
  return problem;
}

/// u_j = A sin(j theta) solves E (2 u_j - u_j-1 - u_j+1) / h = omega^2 rho h u_j with
/// 2 (1 - cos theta) = omega^2 rho h^2 / E; dampings make E and rho complex.
Complex exact(int node, double frequency) {
  const double omega = 2 * std::numbers::pi * frequency, h = 1.0 / n_cells;
  const Complex i(0, 1), E = young * (1.0 + i * (0.04 + 0.03 * omega)),
                         rho = density * (1.0 - i * 0.2 / omega);
  const Complex theta = std::acos(1.0 - omega * omega * rho * h * h / (2.0 * E));
  const auto shape = [&](int j) { return std::sin(static_cast<double>(j) * theta); };
  const Complex force = E / h * (shape(n_cells) - shape(n_cells - 1)) -
                        0.5 * omega * omega * rho * h * shape(n_cells);
  return pull / force * shape(node);
}

class HarmonicTest : public OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(HarmonicTest);

TEST_P(HarmonicTest, OfABarIsTheClosedForm) {
  for (const mesh::CellType cell : {mesh::CellType::quad4, mesh::CellType::hex8}) {
    const auto mesh = box_mesh(world(), cell, n_cells, 0);
    const physics::Analysis analysis(device(), mesh, bar(mesh::traits(cell).dim));
    physics::HarmonicProblem problem(analysis);
    for (const double frequency : {0.1, 0.28, 0.6, 1.3}) {  // 0.28 is near the first resonance
      solver::SolveResult result;
      const physics::State state = problem.respond(frequency, 1e-12, true, result);
      EXPECT_TRUE(result.converged);
      const auto u = gpu::read(state.u.values()), v = gpu::read(state.imaginary->values());
      const double scale = std::abs(exact(n_cells, frequency));
      for (Index node = 0; node < mesh->nodes->n_owned(); ++node) {
        const int j = static_cast<int>(std::lround(fem::node_place(*mesh, node)[0] * n_cells));
        const Offset at = Offset{node} * state.u.block();
        EXPECT_LT(std::abs(Complex(u[at], v[at]) - exact(j, frequency)), 1e-10 * scale)
            << frequency << " " << j;
      }
    }
  }
}

/// In phase the supports hold the load and what the inertia and the damping by mass take of it.
TEST_P(HarmonicTest, SupportsHoldTheFirstCell) {
  const auto mesh = box_mesh(world(), mesh::CellType::quad4, n_cells, 0);
  const physics::Analysis analysis(device(), mesh, bar(2));
  physics::HarmonicProblem problem(analysis);
  solver::SolveResult result;
  constexpr double frequency = 0.28, omega = 2 * std::numbers::pi * frequency;
  const physics::State state = problem.respond(frequency, 1e-12, true, result);
  const auto forces = gpu::read(state.reactions->values());
  double sum = 0;
  for (Index node = 0; node < mesh->nodes->n_owned(); ++node) sum += forces[2 * Offset{node}];
  const Complex E = young * Complex(1, 0.04 + 0.03 * omega);
  EXPECT_NEAR(world().sum(sum), -(E * exact(1, frequency) * double{n_cells}).real(), 1e-10);
}

}  // namespace
}  // namespace trestle::test
