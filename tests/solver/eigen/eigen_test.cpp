// Modes against closed forms: chains, squares with double modes, free bodies, ranges, failures.
#include "solver/eigen/eigen.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.hpp"
#include "solver/near_null.hpp"
#include "tests/solver/eigen/problems.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

using test::Model;
using Matrix = std::shared_ptr<BlockMatrix<double>>;

constexpr double pi = std::numbers::pi;
constexpr double accuracy = 1e-10;  // of eigenvalues: residuals of 1e-8 enter squared

using Problem = test::EigenProblem;
using test::diagonal_mass, test::expect_orthonormal;

double one(GlobalIndex, int) { return 1.0; }

Problem make_problem(const Model& model, const gpu::Device& device = gpu::make_cpu_device()) {
  return test::unit_masses(model, device);
}

EigenResult solve(const Problem& problem, EigenOptions options) {
  return solve_eigen(options, problem.K, problem.M, problem.traits);
}

/// Springs of stiffness 1 and masses 1 in a row, whose ends are free.
Model free_chain(GlobalIndex n) {
  return test::spring_chain(n, [n](GlobalIndex k) { return k == 0 || k == n ? 0.0 : 1.0; });
}

class EigenOnDevices : public test::OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(EigenOnDevices);

// lambda_k = 4 sin^2(k pi / (2 (n + 1))), x_i = sin(i k pi / (n + 1)).
TEST_P(EigenOnDevices, FindsTheModesOfAChain) {
  constexpr GlobalIndex n = 60;
  const Problem problem = make_problem(test::laplacian_1d(n), device());
  const EigenResult result = solve(problem, {.modes = 7});
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.shift, 0);
  ASSERT_EQ(result.modes.size(), 7u);
  for (std::size_t k = 0; k < result.modes.size(); ++k) {
    const double angle = static_cast<double>(k + 1) * pi / static_cast<double>(n + 1);
    const Mode& mode = result.modes[k];
    const double exact = 4 * std::pow(std::sin(angle / 2), 2);
    EXPECT_NEAR(mode.eigenvalue, exact, accuracy * exact);
    EXPECT_FALSE(mode.zero);
    EXPECT_LE(mode.residual, 1e-8);
    // The first of the largest components is positive.
    std::vector<double> shape;
    for (GlobalIndex i = 1; i <= n; ++i) shape.push_back(std::sin(static_cast<double>(i) * angle));
    double peak = 0;
    for (double component : shape)
      if (std::abs(component) > (1 + 1e-6) * std::abs(peak)) peak = component;
    const double length = std::copysign(std::sqrt(2.0 / static_cast<double>(n + 1)), peak);
    for (double& component : shape) component *= length;
    EXPECT_LE(test::largest_difference(test::gather(mode.shape), shape), 1e-7) << k;
  }
  expect_orthonormal(problem, result);
}

// On a square lambda_jk = lambda_j + lambda_k is double for j != k.
TEST_P(EigenOnDevices, FindsBothModesOfEveryPair) {
  constexpr GlobalIndex n = 12;
  const Problem problem = make_problem(test::laplacian_2d(n), device());
  const EigenResult result = solve(problem, {.modes = 20});
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_TRUE(result.complete);
  std::vector<double> exact;
  const auto single = [](GlobalIndex k) {
    return 4 * std::pow(std::sin(static_cast<double>(k) * pi / (2.0 * (n + 1))), 2);
  };
  for (GlobalIndex j = 1; j <= n; ++j)
    for (GlobalIndex k = 1; k <= n; ++k) exact.push_back(single(j) + single(k));
  std::sort(exact.begin(), exact.end());
  ASSERT_EQ(result.modes.size(), 20u);
  for (std::size_t k = 0; k < 20; ++k)
    EXPECT_NEAR(result.modes[k].eigenvalue, exact[k], accuracy * exact[k]) << k;
  expect_orthonormal(problem, result);
}

// Three equal chains that know nothing of each other: every eigenvalue is triple.
TEST(Eigen, FindsTripleModes) {
  constexpr GlobalIndex n = 15;
  const Problem problem = make_problem(test::laplacian_2d(n, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}));
  const EigenResult result = solve(problem, {.modes = 10});
  ASSERT_TRUE(result.converged) << result.message;
  ASSERT_EQ(result.modes.size(), 10u);
  const double first = 8 * std::pow(std::sin(pi / (2.0 * (n + 1))), 2);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(result.modes[k].eigenvalue, first, accuracy * first);
  for (std::size_t k = 4; k < 9; ++k)  // lambda_12 six times
    EXPECT_NEAR(result.modes[k].eigenvalue, result.modes[3].eigenvalue,
                accuracy * result.modes[3].eigenvalue);
  EXPECT_GT(result.modes[9].eigenvalue, 1.1 * result.modes[8].eigenvalue);
  expect_orthonormal(problem, result);
}

// lambda_k = 4 sin^2(k pi / (2 n)), k = 0, 1 ...
TEST(Eigen, FindsTheZeroModeOfAFreeChain) {
  constexpr GlobalIndex n = 40;
  const Problem problem = make_problem(free_chain(n));
  const EigenResult result = solve(problem, {.modes = 5});
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_LT(result.shift, 0);
  ASSERT_EQ(result.modes.size(), 5u);
  EXPECT_TRUE(result.modes[0].zero);
  EXPECT_NEAR(result.modes[0].eigenvalue, 0, 1e-13);
  for (std::size_t k = 1; k < 5; ++k) {
    const double exact = 4 * std::pow(std::sin(static_cast<double>(k) * pi / (2.0 * n)), 2);
    EXPECT_NEAR(result.modes[k].eigenvalue, exact, accuracy * exact);
    EXPECT_FALSE(result.modes[k].zero);
  }
}

TEST(Eigen, FindsTheRigidMotionsOfAFreePlate) {
  constexpr GlobalIndex nx = 20, ny = 4;
  Problem problem = make_problem(test::elastic_plate(nx, ny, false));
  const IndexMap& map = *problem.K->pattern().map;
  for (const bool told : {false, true}) {
    if (told) problem.traits.near_null = rigid_body_modes(map, 2, test::plate_coordinates(map, nx));
    const EigenResult result = solve(problem, {.modes = 6});
    ASSERT_TRUE(result.converged) << result.message;
    EXPECT_TRUE(result.complete);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(result.modes[k].zero, k < 3) << k;
    EXPECT_GT(result.modes[3].eigenvalue, 1e-6);
    expect_orthonormal(problem, result);
  }
}

// Fixed directions have a diagonal in K and no mass: they are no modes, however many are asked for.
TEST(Eigen, LeavesOutDirectionsWithoutMass) {
  constexpr GlobalIndex n = 10;
  const Model chain = test::laplacian_1d(n);
  const Model held{n, 1, [=](GlobalIndex i) {  // nodes 0 and 5 are fixed
                     test::Row row;
                     for (const auto& [j, entry] : chain.row(i))
                       row[j] = {i == j || (i % 5 != 0 && j % 5 != 0) ? entry[0] : 0.0};
                     return row;
                   }};
  Problem problem = make_problem(held);
  problem.M = diagonal_mass(problem.K, [](GlobalIndex i, int) { return i % 5 == 0 ? 0.0 : 1.0; });
  const EigenResult result = solve(problem, {.modes = 100});
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_EQ(result.n_free, 8);
  ASSERT_EQ(result.modes.size(), 8u);
  for (std::size_t k = 0; k < 8; ++k) {  // two chains of 4: each eigenvalue twice
    const double exact = 4 * std::pow(std::sin(static_cast<double>(k / 2 + 1) * pi / 10), 2);
    EXPECT_NEAR(result.modes[k].eigenvalue, exact, accuracy * exact);
    const std::vector<double> x = test::gather(result.modes[k].shape);
    EXPECT_EQ(x[0], 0);
    EXPECT_EQ(x[5], 0);
  }
}

TEST(Eigen, FindsTheModesOfARange) {
  constexpr GlobalIndex n = 50;
  const auto exact = [](int k) { return 4 * std::pow(std::sin(k * pi / (2.0 * (n + 1))), 2); };
  const Problem problem = make_problem(test::laplacian_1d(n));
  const auto between = [&](int k) { return 0.5 * (exact(k) + exact(k + 1)); };
  const auto expect_modes = [&](EigenOptions options, int first, int last) {
    const EigenResult result = solve(problem, options);
    ASSERT_TRUE(result.converged) << result.message;
    ASSERT_EQ(static_cast<int>(result.modes.size()), last - first + 1);
    for (int k = first; k <= last; ++k)
      EXPECT_NEAR(result.modes[static_cast<std::size_t>(k - first)].eigenvalue, exact(k),
                  accuracy * exact(k));
  };
  expect_modes({.modes = 100, .upper = between(6)}, 1, 6);
  expect_modes({.modes = 4, .upper = between(6)}, 1, 4);
  expect_modes({.modes = 100, .lower = between(20), .upper = between(29)}, 21, 29);
  expect_modes({.modes = 3, .lower = between(20), .upper = between(29)}, 21, 23);
  expect_modes({.modes = 3, .lower = between(5)}, 6, 8);
  expect_modes({.modes = 2, .shift = 0.9 * exact(10) + 0.1 * exact(11)}, 10, 11);
  const EigenResult none = solve(problem, {.modes = 5, .upper = 0.5 * exact(1)});
  EXPECT_TRUE(none.converged) << none.message;
  EXPECT_TRUE(none.modes.empty());
}

TEST(Eigen, IsTheSameOnAnyNumberOfRanks) {
  constexpr GlobalIndex n = 9;  // pairs of modes, whose basis must not depend on the ranks
  const Model model = test::laplacian_2d(n);
  const Comm alone(MPI_COMM_SELF);
  const Matrix K = test::make_matrix<double>(gpu::make_cpu_device(), alone, model);
  const EigenResult one_rank = solve_eigen({.modes = 6}, K, diagonal_mass(K, one), {});
  const EigenResult many = solve(make_problem(model), {.modes = 6});
  test::expect_same_modes(many, one_rank, 6);
}

TEST(Eigen, SaysWhyItDidNotConverge) {
  const Problem chain = make_problem(test::laplacian_1d(400));
  const EigenResult stopped = solve(chain, {.modes = 40, .max_restarts = 1});
  EXPECT_FALSE(stopped.converged);
  EXPECT_EQ(stopped.reason, EigenReason::max_restarts) << stopped.message;
  EXPECT_NE(stopped.message.find("modes in 1 restarts"), std::string::npos) << stopped.message;

  Problem massless = chain;
  massless.M = diagonal_mass(chain.K, [](GlobalIndex, int) { return 0.0; });
  EXPECT_EQ(solve(massless, {}).reason, EigenReason::no_mass);

  const EigenResult indefinite =
      solve(make_problem(test::dense({{1, 0, 0}, {0, -1, 0}, {0, 0, 2}})), {.modes = 1});
  EXPECT_EQ(indefinite.reason, EigenReason::not_factored) << indefinite.message;

  const Problem broken =
      make_problem(test::dense({{1, 0}, {0, std::numeric_limits<double>::quiet_NaN()}}));
  try {
    static_cast<void>(solve(broken, {.modes = 1}));
    ADD_FAILURE() << "not a number was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::not_a_number) << error.what();
  }
}

}  // namespace
}  // namespace trestle::solver
