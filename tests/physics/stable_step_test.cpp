// The stable step of central differences against the closed form of a bar of lumped masses.
#include "physics/stable_step.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu/vector_ops.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

class StableStepTest : public OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(StableStepTest);

/// A bar of n cells with the masses m = h and m / 2 at its ends: omega = 2 c / h where it is free,
/// 2 c / h cos(pi / 4n) where one end is held.
TEST_P(StableStepTest, IsTheTimeInWhichAWaveCrossesACell) {
  constexpr int n = 6;
  const double h = 1.0 / n, c = std::sqrt(3.0 / 2);
  for (const bool held : {false, true}) {
    const auto mesh = box_mesh(world(), mesh::CellType::quad4, n, 0);
    physics::Problem problem{.physics = "elasticity"};
    problem.model = "plane_stress";
    problem.materials = {material({{"young", {"3"}}, {"poisson", {"0"}}, {"density", {"2"}}})};
    problem.conditions = {condition("displacement", {"body"}, {"", "0"})};
    if (held) problem.conditions.push_back(condition("displacement", {"xmin"}, {"0", ""}));
    problem.analysis.type = physics::AnalysisType::transient;
    physics::Analysis analysis(device(), mesh, problem);
    physics::Capacity capacity = analysis.make_capacity();
    physics::StepEquations equations(analysis, {}, &capacity, physics::MassKind::lumped);
    const solver::Vector<double> inverse = physics::inverse_masses(analysis, capacity);
    solver::Vector<double> u(device(), mesh->nodes, 2, "solution");
    gpu::fill(device(), u.view(), 0.0);
    const double omega = 2 * c / h * (held ? std::cos(std::acos(-1.0) / (4 * n)) : 1);
    const double step = physics::longest_stable_step(equations, inverse, u, 0);
    EXPECT_NEAR(step * omega / 2, 1, 1e-6) << held;
  }
}

}  // namespace
}  // namespace trestle::test
