// Every method against closed-form solutions of small models, on every device.
#include "solver/linear_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "tests/solver/model_matrices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

using test::Model;

/// A solve of a model with a known solution.
struct Solved {
  SolveResult result;
  std::vector<double> x;  // whole, canonical order
  std::vector<double> b;
};

template <class Real>
Solved solve(const gpu::Device& device, const Comm& comm, const Model& model,
             const SolverOptions& options, const std::vector<double>& b,
             const std::vector<double>& guess, MatrixTraits traits = {}) {
  traits.dim = 2;
  const auto matrix = test::make_matrix<Real>(device, comm, model);
  const auto at = [&](const std::vector<double>& values) {
    return [&, block = model.block](GlobalIndex node, int c) {
      return values[static_cast<std::size_t>(node * block + c)];
    };
  };
  const auto map = matrix->pattern().map;
  const Vector<double> rhs = test::make_vector(device, map, model.block, at(b));
  Vector<double> x = test::make_vector(device, map, model.block, at(guess));
  LinearSolver<Real> linear(options, matrix, std::move(traits));
  SolveResult result = linear.solve(rhs, x);
  return {std::move(result), test::gather(x), b};
}

Solved solve(const gpu::Device& device, const Model& model, const SolverOptions& options,
             const std::vector<double>& b, std::vector<double> guess = {},
             MatrixTraits traits = {}) {
  if (guess.empty()) guess.assign(b.size(), 0.0);
  if (options.precision == Precision::single)
    return solve<float>(device, test::world(), model, options, b, guess, std::move(traits));
  return solve<double>(device, test::world(), model, options, b, guess, std::move(traits));
}

/// Coupling of three unknowns of a node, positive definite.
const std::vector<double> coupling = {2, 1, 0.5, 1, 3, 0.25, 0.5, 0.25, 1.5};

/// u_ij = i (n + 1 - i) j (n + 1 - j) times (1, -2, 0.5), whose second differences are exact.
std::vector<double> bubble(GlobalIndex n) {
  std::vector<double> u;
  for (GlobalIndex j = 1; j <= n; ++j)
    for (GlobalIndex i = 1; i <= n; ++i)
      for (double factor : {1.0, -2.0, 0.5})
        u.push_back(factor * static_cast<double>(i * (n + 1 - i) * j * (n + 1 - j)));
  return u;
}

double largest(const std::vector<double>& x) {
  return test::largest_difference(x, std::vector<double>(x.size(), 0.0));
}

SolverOptions options_for(Method method, Preconditioner preconditioner = Preconditioner::automatic,
                          Precision precision = Precision::double_, double tolerance = 1e-10) {
  SolverOptions options;
  options.method = method;
  options.preconditioner = preconditioner;
  options.precision = precision;
  options.tolerance = tolerance;
  return options;
}

std::vector<SolverOptions> all_doubles() {
  std::vector<SolverOptions> all;
  for (Method method : {Method::cg, Method::gmres})
    for (Preconditioner m :
         {Preconditioner::none, Preconditioner::jacobi, Preconditioner::chebyshev})
      all.push_back(options_for(method, m));
  for (Method method : {Method::petsc, Method::direct, Method::automatic})
    all.push_back(options_for(method));
  return all;
}

std::string name_of(const SolverOptions& options) {
  return std::string(to_string(options.method)) + " " +
         std::to_string(static_cast<int>(options.preconditioner)) + " " +
         to_string(options.precision);
}

class LinearSolverTest : public test::OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(LinearSolverTest);

TEST_P(LinearSolverTest, EveryMethodFindsTheClosedFormOfABlockLaplacian) {
  constexpr GlobalIndex n = 12;
  const Model model = test::laplacian_2d(n, 3, coupling);
  const std::vector<double> exact = bubble(n);
  const std::vector<double> b = test::multiply(model, exact);
  for (const SolverOptions& options : all_doubles()) {
    SCOPED_TRACE(name_of(options));
    const Solved solved = solve(device(), model, options, b);
    EXPECT_TRUE(solved.result.converged) << solved.result.message;
    EXPECT_EQ(solved.result.reason, Reason::converged);
    // Error <= condition (about 4 (n + 1)^2 / pi^2 times that of the coupling, 5) x residual.
    EXPECT_LE(test::largest_difference(solved.x, exact), 400 * 1e-10 * largest(exact) * n);
    EXPECT_LE(test::relative_residual(model, solved.x, b), 1e-10);
    EXPECT_NEAR(solved.result.true_relative_residual, test::relative_residual(model, solved.x, b),
                1e-14);
    EXPECT_EQ(solved.result.precision, "double");
  }
}

TEST_P(LinearSolverTest, MixedPrecisionReachesTheToleranceOfDouble) {
  constexpr GlobalIndex n = 16;
  const Model model = test::laplacian_2d(n, 3, coupling);
  const std::vector<double> exact = bubble(n);
  const std::vector<double> b = test::multiply(model, exact);
  for (Method method : {Method::cg, Method::gmres, Method::automatic})
    for (Preconditioner m :
         {Preconditioner::automatic, Preconditioner::jacobi, Preconditioner::chebyshev}) {
      const SolverOptions options = options_for(method, m, Precision::mixed);
      SCOPED_TRACE(name_of(options));
      const Solved solved = solve(device(), model, options, b);
      EXPECT_TRUE(solved.result.converged) << solved.result.message;
      EXPECT_EQ(solved.result.precision, "mixed") << solved.result.choice;
      EXPECT_LE(test::relative_residual(model, solved.x, b), 1e-10);
    }
}

TEST_P(LinearSolverTest, SinglePrecisionEndsWithASmallResidualOrBackwardError) {
  const Model model = test::laplacian_1d(400);  // condition 6.5e4: 1e-5 is out of float's reach
  std::vector<double> exact;
  for (int i = 1; i <= 400; ++i) exact.push_back(0.5 * i * (401 - i));
  const std::vector<double> b(400, 1.0);
  for (Preconditioner m : {Preconditioner::jacobi, Preconditioner::chebyshev}) {
    const Solved solved =
        solve(device(), model, options_for(Method::cg, m, Precision::single, 1e-5), b);
    EXPECT_TRUE(solved.result.converged) << solved.result.message;
    EXPECT_EQ(solved.result.precision, "single");
    if (solved.result.reason == Reason::converged)
      EXPECT_LE(test::relative_residual(model, solved.x, b), 1e-5);
    else
      EXPECT_LE(solved.result.backward_error, 1e-6);
    for (double value : solved.x) EXPECT_EQ(value, static_cast<double>(static_cast<float>(value)));
    EXPECT_LE(test::largest_difference(solved.x, exact), 0.05 * largest(exact));
  }
}

TEST_P(LinearSolverTest, TheClosedFormOfTheLineIsFoundWithFewerNodesThanRanksToo) {
  for (GlobalIndex n : {GlobalIndex{1}, GlobalIndex{3}, GlobalIndex{50}}) {
    const std::vector<double> b(static_cast<std::size_t>(n), 1.0);
    std::vector<double> exact;
    for (GlobalIndex i = 1; i <= n; ++i)
      exact.push_back(0.5 * static_cast<double>(i) * static_cast<double>(n + 1 - i));
    for (const SolverOptions& options : all_doubles()) {
      SCOPED_TRACE(name_of(options) + " n " + std::to_string(n));
      const Solved solved = solve(device(), test::laplacian_1d(n), options, b);
      EXPECT_TRUE(solved.result.converged) << solved.result.message;
      EXPECT_LE(test::largest_difference(solved.x, exact), 1e-7 * largest(exact));
    }
  }
}

}  // namespace
}  // namespace trestle::solver
