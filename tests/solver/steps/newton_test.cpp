// Newton's method on equations whose solutions are known.
#include "solver/steps/newton.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "tests/solver/model_matrices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

/// f(u_i) = b_i in every unknown, with the derivative df.
class Pointwise final : public NonlinearSystem {
 public:
  Pointwise(std::function<double(double)> f, std::function<double(double)> df,
            std::function<double(GlobalIndex)> b, bool linear = false)
      : f_(std::move(f)), df_(std::move(df)), b_(std::move(b)), linear_(linear) {}

  double residual(const Vector<double>& u, Vector<double>& r) override {
    const auto in = gpu::read(u.values());
    const auto out = gpu::write(r.values());
    double size = 0, internal = 0;
    for (Index i = 0; i < u.map().n_owned(); ++i) {
      const double b = b_(u.map().ids()[static_cast<std::size_t>(i)]);
      const double f = f_(in[i]);
      out[i] = b - f;
      size += b * b;
      internal += f * f;
    }
    return std::sqrt(std::max(u.map().comm().sum(size), u.map().comm().sum(internal)));
  }
  SolveResult correction(const Vector<double>& u, const Vector<double>& r, double,
                         Vector<double>& du) override {
    const auto at = gpu::read(u.values()), in = gpu::read(r.values());
    const auto out = gpu::write(du.values());
    for (Index i = 0; i < u.map().n_owned(); ++i) out[i] = in[i] / df_(at[i]);
    SolveResult result;
    result.converged = solves;
    result.message = "told to fail";
    return result;
  }
  bool linear() const override { return linear_; }

  bool solves = true;

 private:
  std::function<double(double)> f_, df_;
  std::function<double(GlobalIndex)> b_;
  bool linear_;
};

class NewtonTest : public test::OnEachDevice {
 protected:
  Vector<double> start(double value) {
    return test::make_vector(device(), map(), 1, [value](GlobalIndex, int) { return value; });
  }

 private:
  std::shared_ptr<const IndexMap> map() {
    if (!map_)
      map_ =
          test::make_matrix<double>(device(), test::world(), test::laplacian_1d(7))->pattern().map;
    return map_;
  }
  std::shared_ptr<const IndexMap> map_;
};
TRESTLE_ON_EACH_DEVICE(NewtonTest);

NewtonResult solve(NonlinearSystem& system, const NewtonOptions& options, Vector<double>& u) {
  NewtonScales scales;
  return newton(system, options, scales, u);
}

double one_more(GlobalIndex i) { return 1 + static_cast<double>(i); }

TEST_P(NewtonTest, TheResidualFallsQuadratically) {
  Pointwise cubes([](double u) { return u * u * u; }, [](double u) { return 3 * u * u; }, one_more);
  auto u = start(1.5);
  const NewtonResult result = solve(cubes, {.tolerance = 1e-14}, u);
  ASSERT_TRUE(result.converged) << result.message;
  const std::vector<double> got = test::gather(u);
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], std::cbrt(1 + static_cast<double>(i)), 1e-13);
  // r_i = b_i - u_i^3 goes to r_i^2 / (3 b_i) and less, so that ||r|| / ||b|| goes to at most its
  // square times ||b|| / (3 min b) = sqrt(140) / 3 to leading order.
  for (std::size_t k = 1; k < result.iterations.size(); ++k) {
    const double before = result.iterations[k - 1].residual;
    if (before < 0.1) {
      EXPECT_LT(result.iterations[k].residual, 4 * before * before + 1e-15);
    }
  }
}

TEST_P(NewtonTest, TolerancesOfZeroAskForWhatRoundingAllows) {
  Pointwise cubes([](double u) { return u * u * u; }, [](double u) { return 3 * u * u; }, one_more);
  for (const NewtonOptions& options :
       {NewtonOptions{.increment_tolerance = 0}, NewtonOptions{.tolerance = 0},
        NewtonOptions{.tolerance = 0, .increment_tolerance = 0}}) {
    auto u = start(1.5);
    const NewtonResult result = solve(cubes, options, u);
    EXPECT_TRUE(result.converged) << result.message;
    EXPECT_LE(result.iterations.size(), 10u);
  }
}

TEST_P(NewtonTest, LineSearchFindsWhatFullStepsMiss) {
  const auto slope = [](double u) { return 1 / (1 + u * u); };
  Pointwise arcs([](double u) { return std::atan(u) + 1; }, slope, [](GlobalIndex) { return 1.0; });
  auto far = start(3);  // full steps diverge from beyond 1.39
  EXPECT_FALSE(solve(arcs, {.max_iterations = 30, .line_search = false}, far).converged);
  auto u = start(3);
  const NewtonResult result = solve(arcs, {}, u);
  ASSERT_TRUE(result.converged) << result.message;
  for (const double value : test::gather(u)) EXPECT_NEAR(value, 0, 1e-7);
  EXPECT_LT(result.iterations.front().length, 1);
}

// The first correction from 0.01 goes to 250,000, where forces are 1e21: beside those, any residual
// on the way back would be nothing.
TEST_P(NewtonTest, ForcesOfTrialsFarOffAreNoMeasure) {
  Pointwise radiates([](double u) { return u * u * u * std::abs(u); },
                     [](double u) { return 4 * u * u * std::abs(u); }, one_more);
  auto u = start(0.01);
  const NewtonResult result = solve(radiates, {.max_iterations = 60}, u);
  ASSERT_TRUE(result.converged) << result.message;
  const std::vector<double> got = test::gather(u);
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], std::pow(1 + static_cast<double>(i), 0.25), 1e-6);
}

TEST_P(NewtonTest, WhatIsUnloadedComesToRest) {
  double load = 1;
  Pointwise hardens([](double u) { return u + u * u * u; }, [](double u) { return 1 + 3 * u * u; },
                    [&](GlobalIndex i) { return load * one_more(i); });
  NewtonScales scales;
  auto u = start(0);
  for (const double next : {1.0, 0.5, 0.0, 0.0, 0.0}) {
    load = next;
    const NewtonResult result = newton(hardens, {}, scales, u);
    EXPECT_TRUE(result.converged) << result.message << " at the load " << next;
  }
  for (const double value : test::gather(u)) EXPECT_NEAR(value, 0, 1e-8);
}

TEST_P(NewtonTest, TrialsWhoseResidualHasNoValueAreTooLong) {
  const auto f = [](double u) {
    if (u > 4) throw NumericalError(ExitCode::not_a_number, "no value above 4");
    return u * u;
  };
  Pointwise roots(
      f, [](double u) { return 2 * u; }, [](GlobalIndex) { return 9.0; });
  auto u = start(0.5);  // the first correction goes to 9.25
  const NewtonResult result = solve(roots, {}, u);
  ASSERT_TRUE(result.converged) << result.message;
  for (const double value : test::gather(u)) EXPECT_NEAR(value, 3, 1e-6);
  Pointwise beyond(
      f, [](double) { return 1e-3; }, [](GlobalIndex) { return 9.0; });
  auto v = start(0);
  const NewtonResult none = solve(beyond, {.line_search = false}, v);
  EXPECT_EQ(none.reason, NewtonReason::not_a_number);
  EXPECT_NE(none.message.find("no value above 4"), std::string::npos) << none.message;
}

TEST_P(NewtonTest, LinearEquationsTakeOneCorrection) {
  Pointwise doubles([](double u) { return 2 * u; }, [](double) { return 2.0; }, one_more, true);
  auto u = start(0);
  const NewtonResult result = solve(doubles, {}, u);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.iterations.size(), 1U);
  const NewtonResult again = solve(doubles, {}, u);
  EXPECT_TRUE(again.converged);
  EXPECT_EQ(again.iterations.size(), 0U);
}

// At u = 1 the forces u - 1 are zero, and what is asked of them is less than the last digit of u.
TEST_P(NewtonTest, LinearEquationsAtRestEndWhereRoundingDoes) {
  Pointwise rest([](double u) { return u - 1; }, [](double) { return 1.0; },
                 [](GlobalIndex) { return 1e-17; }, true);
  auto u = start(1);
  const NewtonResult result = solve(rest, {.tolerance = 1e-8}, u);
  EXPECT_TRUE(result.converged) << result.message;
  EXPECT_EQ(result.iterations.size(), 1u);
}

// The same at u = 1 of u^2 - 1, with and without a line search.
TEST_P(NewtonTest, NonlinearEquationsAtRestEndWhereRoundingDoes) {
  for (const bool line_search : {true, false}) {
    Pointwise rest([](double u) { return u * u - 1; }, [](double u) { return 2 * u; },
                   [](GlobalIndex) { return 1e-17; });
    auto u = start(1);
    const NewtonResult result = solve(rest, {.tolerance = 1e-8, .line_search = line_search}, u);
    EXPECT_TRUE(result.converged) << result.message;
    EXPECT_EQ(result.iterations.size(), 1u);
  }
}

TEST_P(NewtonTest, EveryFailureHasItsReason) {
  const auto square = [](double u) { return u * u; };
  const auto slope = [](double u) { return 2 * u; };
  auto u = start(1);
  Pointwise none(square, slope, [](GlobalIndex) { return -1.0; });
  const NewtonResult no_root = solve(none, {}, u);
  EXPECT_FALSE(no_root.converged);
  EXPECT_TRUE(no_root.reason == NewtonReason::no_descent ||
              no_root.reason == NewtonReason::max_iterations)
      << no_root.message;

  auto v = start(-1);
  Pointwise roots([](double x) { return std::sqrt(x); },
                  [](double x) { return 0.5 / std::sqrt(x); }, one_more);
  EXPECT_EQ(solve(roots, {}, v).reason, NewtonReason::not_a_number);

  auto w = start(2);
  Pointwise cubes([](double x) { return x * x * x; }, [](double x) { return 3 * x * x; }, one_more);
  EXPECT_EQ(solve(cubes, {.tolerance = 1e-14, .max_iterations = 2}, w).reason,
            NewtonReason::max_iterations);
  cubes.solves = false;
  const NewtonResult failed = solve(cubes, {}, w);
  EXPECT_EQ(failed.reason, NewtonReason::linear_solver_failed);
  EXPECT_NE(failed.message.find("told to fail"), std::string::npos);
}

}  // namespace
}  // namespace trestle::solver
