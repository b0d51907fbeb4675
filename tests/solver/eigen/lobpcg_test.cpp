// LOBPCG against closed forms and against shift-and-invert; iterations that meshes do not add to.
#include "solver/eigen/lobpcg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "solver/near_null.hpp"
#include "tests/solver/eigen/problems.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

using test::EigenProblem;

constexpr double pi = std::numbers::pi;
constexpr double accuracy = 1e-10;  // of eigenvalues: residuals of 1e-8 enter squared

EigenResult solve(const EigenProblem& problem, EigenOptions options) {
  options.method = EigenMethod::lobpcg;
  return solve_eigen(options, problem.K, problem.M, problem.traits);
}

class LobpcgOnDevices : public test::OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(LobpcgOnDevices);

// On a square lambda_jk = lambda_j + lambda_k is double for j != k.
TEST_P(LobpcgOnDevices, FindsBothModesOfEveryPair) {
  constexpr GlobalIndex n = 20;
  const EigenProblem problem = test::unit_masses(test::laplacian_2d(n), device());
  const EigenResult result = solve(problem, {.modes = 12, .may_factor = false});
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_EQ(result.method, EigenMethod::lobpcg);
  EXPECT_EQ(result.factorisations, 0);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.shift, 0);
  std::vector<double> exact;
  const auto single = [](GlobalIndex k) {
    return 4 * std::pow(std::sin(static_cast<double>(k) * pi / (2.0 * (n + 1))), 2);
  };
  for (GlobalIndex j = 1; j <= n; ++j)
    for (GlobalIndex k = 1; k <= n; ++k) exact.push_back(single(j) + single(k));
  std::sort(exact.begin(), exact.end());
  ASSERT_EQ(result.modes.size(), 12u);
  for (std::size_t k = 0; k < 12; ++k) {
    EXPECT_NEAR(result.modes[k].eigenvalue, exact[k], accuracy * exact[k]) << k;
    EXPECT_LE(result.modes[k].residual, 1e-8);
  }
  test::expect_orthonormal(problem, result);
}

TEST(Lobpcg, FindsTheRigidMotionsOfAFreePlateAndItsModes) {
  constexpr GlobalIndex nx = 40, ny = 10;
  EigenProblem problem = test::unit_masses(test::elastic_plate(nx, ny, false));
  const IndexMap& map = *problem.K->pattern().map;
  problem.traits.near_null = rigid_body_modes(map, 2, test::plate_coordinates(map, nx));
  const EigenResult other = solve_eigen({.modes = 9}, problem.K, problem.M, problem.traits);
  const EigenResult result = solve(problem, {.modes = 9});
  ASSERT_TRUE(other.converged && result.converged) << result.message;
  EXPECT_LT(result.shift, 0);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(result.modes[k].zero, k < 3) << k;
  for (std::size_t k = 3; k < 9; ++k) {
    const double exact = other.modes[k].eigenvalue;
    EXPECT_NEAR(result.modes[k].eigenvalue, exact, accuracy * exact) << k;
  }
  test::expect_orthonormal(problem, result);
}

// Three plates in one matrix that know nothing of each other, none of them held: nine motions
// without energy, of which the near-null vectors tell of three.
TEST(Lobpcg, FindsMotionsOfParts) {
  const test::Model plate = test::elastic_plate(12, 4, false);
  const GlobalIndex n = plate.n_nodes;
  const test::Model three{3 * n, 2, [=](GlobalIndex i) {
                            test::Row row;
                            for (const auto& [j, block] : plate.row(i % n))
                              row[j + i / n * n] = block;
                            return row;
                          }};
  EigenProblem problem = test::unit_masses(three);
  const IndexMap& map = *problem.K->pattern().map;
  std::vector<double> coordinates;
  for (Index i = 0; i < map.n_owned(); ++i) {
    const GlobalIndex id = map.ids()[static_cast<std::size_t>(i)];
    const GlobalIndex k = id % n;
    for (const double x :
         {static_cast<double>(k % 13 + 20 * (id / n)), static_cast<double>(k / 13), 0.0})
      coordinates.push_back(x);
  }
  problem.traits.near_null = rigid_body_modes(map, 2, coordinates);
  const EigenResult result = solve(problem, {.modes = 12});
  ASSERT_TRUE(result.converged) << result.message;
  for (std::size_t k = 0; k < 12; ++k) EXPECT_EQ(result.modes[k].zero, k < 9) << k;
  EXPECT_NEAR(result.modes[11].eigenvalue / result.modes[9].eigenvalue, 1, accuracy);
}

// A block of exact modes has no residual and no way to one that is not among them.
TEST(Lobpcg, FindsModesThatItsBlockHasMissed) {
  const EigenProblem problem = test::unit_masses(test::laplacian_2d(20));
  const EigenResult all = solve_eigen({.modes = 13}, problem.K, problem.M, problem.traits);
  ASSERT_TRUE(all.converged);
  HostColumns start;
  for (std::size_t k = 0; k < 13; ++k) {
    if (k == 0 || k == 2) continue;
    const auto values = gpu::read(all.modes[k].shape.values());
    start.emplace_back(values.begin(),
                       values.begin() + static_cast<std::ptrdiff_t>(all.modes[k].shape.n_owned()));
  }
  for (const bool may_factor : {false, true}) {
    const EigenResult result =
        solve_by_lobpcg({.method = EigenMethod::lobpcg, .modes = 8, .may_factor = may_factor},
                        problem.K, problem.M, problem.traits, start);
    ASSERT_TRUE(result.converged) << result.message;
    EXPECT_EQ(result.complete, may_factor);
    test::expect_same_modes(result, all, 8);
  }
}

// The second of two modes of one value is as low as the first.
TEST(Lobpcg, CountsModesOfWhichTheLastHasATwin) {
  const EigenProblem problem = test::unit_masses(test::laplacian_2d(20));
  for (const int n : {1, 2, 3, 5}) {
    const EigenResult result = solve(problem, {.modes = n});
    ASSERT_TRUE(result.converged) << result.message;
    EXPECT_TRUE(result.complete) << n;
    EXPECT_EQ(result.factorisations, 1);
  }
}

TEST(Lobpcg, TakesAsManyIterationsOnAFinerMesh) {
  const auto iterations = [](GlobalIndex n) {
    const EigenResult result = solve(test::unit_masses(test::laplacian_2d(n)), {.modes = 6});
    EXPECT_TRUE(result.converged) << result.message;
    return result.iterations;
  };
  const int coarse = iterations(24), fine = iterations(96);  // 16 times the unknowns
  EXPECT_LE(fine, coarse + coarse / 2);
}

TEST(Lobpcg, IsTheSameOnAnyNumberOfRanks) {
  const test::Model model = test::laplacian_2d(20);
  const Comm alone(MPI_COMM_SELF);
  const EigenResult one_rank =
      solve(test::unit_masses(model, gpu::make_cpu_device(), alone), {.modes = 6});
  const EigenResult many = solve(test::unit_masses(model), {.modes = 6});
  test::expect_same_modes(many, one_rank, 6);
}

TEST(Lobpcg, LeavesOutModesAboveABound) {
  const EigenProblem problem = test::unit_masses(test::laplacian_2d(20));
  const EigenResult all = solve(problem, {.modes = 6});
  ASSERT_TRUE(all.converged);
  const double bound = 0.5 * (all.modes[2].eigenvalue + all.modes[3].eigenvalue);
  const EigenResult some = solve(problem, {.modes = 6, .upper = bound});
  ASSERT_TRUE(some.converged);
  EXPECT_EQ(some.modes.size(), 3u);
}

TEST(Lobpcg, SaysHowFarItCame) {
  const EigenResult stopped =
      solve(test::unit_masses(test::laplacian_2d(20)), {.modes = 6, .max_iterations = 2});
  EXPECT_FALSE(stopped.converged);
  EXPECT_EQ(stopped.reason, EigenReason::max_iterations);
  EXPECT_NE(stopped.message.find("0 of 6 modes have converged in 2 iterations"), std::string::npos)
      << stopped.message;
  EXPECT_NE(stopped.message.find("of mode 1"), std::string::npos) << stopped.message;
}

// What leaves no room for a block of vectors is solved whole.
TEST(Lobpcg, LeavesFewUnknownsToTheOtherMethod) {
  const EigenResult result = solve(test::unit_masses(test::laplacian_1d(12)), {.modes = 3});
  ASSERT_TRUE(result.converged);
  EXPECT_EQ(result.method, EigenMethod::shift_invert);
  EXPECT_TRUE(result.complete);
}

}  // namespace
}  // namespace trestle::solver
