// Fields of a case for multigrid: more of them save iterations, wrong ones cost some, and the rigid
// motions by hand are those of the physics.
#include "physics/near_null.hpp"

#include <gtest/gtest.h>

#include "gpu/vector_ops.hpp"
#include "solver/linear_solver.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

physics::NearNull near_null(bool replace, const std::vector<std::vector<std::string>>& fields) {
  physics::NearNull made{.replace = replace};
  for (const auto& field : fields) made.fields.push_back(value(field));
  return made;
}

physics::Problem problem_of(const std::string& physics) {
  physics::Problem problem{.physics = physics};
  if (physics == "heat") {
    problem.materials = {material({{"conductivity", {"1"}}})};
    problem.conditions = {condition("temperature", {"xmin"}, {"300"}),
                          condition("source", {"body"}, {"1 + x*y"})};
  } else {
    problem.model = "plane_strain";
    problem.materials = {material({{"young", {"1"}}, {"poisson", {"0.3"}}})};
    problem.conditions = {condition("displacement", {"xmin"}, {"0", "0"}),
                          condition("traction", {"xmax"}, {"0", "1"})};
  }
  return problem;
}

/// Iterations of CG with multigrid on a square of 90 x 90 cells.
int iterations(physics::Problem problem, physics::NearNull near_null) {
  problem.near_null = std::move(near_null);
  const auto mesh = box_mesh(world(), mesh::CellType::quad4, 90, 0.0);
  const physics::Analysis analysis(gpu::make_cpu_device(), mesh, problem);
  solver::SolverOptions options;
  options.method = solver::Method::cg;
  options.preconditioner = solver::Preconditioner::amg;
  solver::LinearSolver<double> solver(
      options, std::make_shared<const solver::BlockMatrix<double>>(analysis.matrix()),
      analysis.matrix_traits());
  const solver::Vector<double> b = analysis.right_side(0);
  solver::Vector<double> v(b.device(), b.shared_map(), b.block());
  gpu::fill(v.device(), v.view(), 0.0);
  const solver::SolveResult result = solver.solve(b, v);
  EXPECT_TRUE(result.converged) << result.message;
  return result.iterations;
}

TEST(NearNull, LinearFieldsBesideTheConstantSaveIterations) {
  const physics::Problem heat = problem_of("heat");
  EXPECT_LT(iterations(heat, near_null(false, {{"x"}, {"y"}})), iterations(heat, {}));
}

TEST(NearNull, RigidMotionsByHandAreThoseOfThePhysics) {
  const physics::Problem solid = problem_of("elasticity");
  const int own = iterations(solid, {});
  // The same space up to rounding, which may move the last iteration.
  EXPECT_NEAR(iterations(solid, near_null(true, {{"1", "0"}, {"0", "1"}, {"-y", "x"}})), own, 1);
  EXPECT_GT(iterations(solid, near_null(true, {{"1", "0"}, {"0", "1"}})), own);
}

TEST(NearNull, MoreFieldsThanMultigridTakesAreRefused) {
  const std::vector<std::vector<std::string>> four(4, {"x", "y"});
  EXPECT_THROW(iterations(problem_of("elasticity"), near_null(false, four)), CaseError);
  EXPECT_THROW(iterations(problem_of("heat"), near_null(true, {{"1 / (x - x)"}})), Error);
}

}  // namespace
}  // namespace trestle::test
