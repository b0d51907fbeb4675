// Schemes of first order in time against closed forms: their order, their estimates of errors.
#include "solver/steps/rate_scheme.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu/vector_ops.hpp"
#include "tests/solver/model_matrices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

constexpr double decay = 2;

/// u' = -decay (u - cos t) - sin t, u = cos t + c e^(-decay t); node i starts from 1 + i.
double exact(double t, GlobalIndex i) {
  return std::cos(t) + static_cast<double>(i) * std::exp(-decay * t);
}

class RateSchemeTest : public test::OnEachDevice {
 protected:
  Vector<double> vector_of(const std::function<double(GlobalIndex)>& value) {
    return test::make_vector(device(), map(), 1, [&](GlobalIndex i, int) { return value(i); });
  }
  /// a u + h = -decay (u - cos t) - sin t.
  void solve(const RateScheme& scheme, double t, Vector<double>& u) {
    gpu::copy(device(), scheme.offset().view(), u.view());
    gpu::scale(device(), -1 / (scheme.factor() + decay), u.view());
    auto ones = vector_of([](GlobalIndex) { return 1.0; });
    gpu::axpy(device(), (decay * std::cos(t) - std::sin(t)) / (scheme.factor() + decay),
              std::as_const(ones).view(), u.view());
  }
  struct Result {
    double error;     // largest at the end
    double estimate;  // of the last step
    double local;     // true error of the last step, from exact values before it
  };
  /// The first two steps as halves of backward Euler, all others Crank-Nicolson; n to t = 1.
  double march_damped(int n) {
    auto u = vector_of([](GlobalIndex i) { return exact(0, i); });
    auto rate = vector_of([](GlobalIndex) { return 1e3; });  // nobody asks
    RateScheme scheme(RateKind::crank_nicolson, u, rate);
    double t = 0;
    for (int k = 0; k < n + 2; ++k) {
      const bool damped = k < 4;
      const double dt = damped ? 0.5 / n : 1.0 / n;
      t += dt;
      scheme.begin(dt, damped);
      EXPECT_DOUBLE_EQ(scheme.factor(), 2.0 * n);
      solve(scheme, t, u);
      scheme.accept(u);
    }
    double error = 0;
    const std::vector<double> got = test::gather(u);
    for (std::size_t i = 0; i < got.size(); ++i)
      error = std::max(error, std::abs(got[i] - exact(1, static_cast<GlobalIndex>(i))));
    return error;
  }
  /// Steps of 1 and `ratio` times a length in turn, n of each, to t = 1.
  Result march(RateKind kind, int n, double ratio) {
    auto u = vector_of([](GlobalIndex i) { return exact(0, i); });
    auto rate = vector_of([](GlobalIndex i) { return -decay * static_cast<double>(i); });
    RateScheme scheme(kind, u, rate);
    const double length = 1 / (n * (1 + ratio));
    double t = 0;
    Result result{};
    for (int k = 0; k < 2 * n; ++k) {
      const double dt = k % 2 == 0 ? length : ratio * length;
      t += dt;
      scheme.begin(dt);
      solve(scheme, t, u);
      result.estimate = scheme.error(u);
      scheme.accept(u);
    }
    const std::vector<double> got = test::gather(u);
    for (std::size_t i = 0; i < got.size(); ++i)
      result.error =
          std::max(result.error, std::abs(got[i] - exact(t, static_cast<GlobalIndex>(i))));
    return result;
  }

 private:
  std::shared_ptr<const IndexMap> map() {
    if (!map_)
      map_ =
          test::make_matrix<double>(device(), test::world(), test::laplacian_1d(5))->pattern().map;
    return map_;
  }
  std::shared_ptr<const IndexMap> map_;
};
TRESTLE_ON_EACH_DEVICE(RateSchemeTest);

TEST_P(RateSchemeTest, ErrorsFallWithTheOrderOfTheSchemeOnEqualAndUnequalSteps) {
  struct {
    RateKind kind;
    double order;
  } const schemes[] = {
      {RateKind::backward_euler, 1}, {RateKind::crank_nicolson, 2}, {RateKind::bdf2, 2}};
  for (const auto& scheme : schemes)
    for (const double ratio : {1.0, 1.5}) {
      const double coarse = march(scheme.kind, 80, ratio).error,
                   fine = march(scheme.kind, 160, ratio).error;
      EXPECT_NEAR(std::log2(coarse / fine), scheme.order, 0.1)
          << static_cast<int>(scheme.kind) << " " << ratio;
    }
}

TEST_P(RateSchemeTest, ADampedStartKeepsOrderTwo) {
  EXPECT_NEAR(std::log2(march_damped(80) / march_damped(160)), 2, 0.1);
}

// u' = -k u with k dt = 1000, from 1: Crank-Nicolson turns the sign of u in every step.
TEST_P(RateSchemeTest, ADampedStartForgetsWhatIsStiff) {
  const auto last = [&](bool damped) {
    constexpr double dt = 1, k = 1000;
    auto u = vector_of([](GlobalIndex) { return 1.0; });
    auto rate = vector_of([](GlobalIndex) { return -k; });
    RateScheme scheme(RateKind::crank_nicolson, u, rate);
    for (int step = 0; step < 10; ++step) {
      const bool damps = damped && step < 4;
      scheme.begin(damps ? 0.5 * dt : dt, damps);
      gpu::copy(device(), scheme.offset().view(), u.view());
      gpu::scale(device(), -1 / (scheme.factor() + k), u.view());
      scheme.accept(u);
    }
    return std::abs(test::gather(u)[0]);
  };
  EXPECT_GT(last(false), 0.9);
  EXPECT_LT(last(true), 1e-10);
}

/// The error of one step from exact values, by the leading term of each scheme; root mean square
/// over the nodes as `error` has it.
TEST_P(RateSchemeTest, EstimatesAreTheErrorOfOneStepToLeadingOrder) {
  for (const RateKind kind : {RateKind::backward_euler, RateKind::crank_nicolson, RateKind::bdf2}) {
    constexpr int n = 400;
    constexpr double dt = 1.0 / n;
    const double estimate = march(kind, n / 2, 1).estimate;
    double sum = 0;
    for (GlobalIndex i = 0; i < 5; ++i) {
      const double c = static_cast<double>(i) * std::exp(-decay);
      const double second = -std::cos(1.0) + decay * decay * c,
                   third = std::sin(1.0) - decay * decay * decay * c;
      const double error = kind == RateKind::backward_euler   ? dt * dt / 2 * second
                           : kind == RateKind::crank_nicolson ? dt * dt * dt / 12 * third
                                                              : dt * dt * dt * 2 / 9 * third;
      sum += error * error / 5;
    }
    EXPECT_NEAR(estimate / std::sqrt(sum), 1, 0.03) << static_cast<int>(kind);
  }
}

TEST_P(RateSchemeTest, ALinearCourseIsExact) {
  for (const RateKind kind : {RateKind::backward_euler, RateKind::crank_nicolson, RateKind::bdf2}) {
    auto u = vector_of([](GlobalIndex i) { return static_cast<double>(i); });
    auto rate = vector_of([](GlobalIndex) { return 3.0; });
    RateScheme scheme(kind, u, rate);
    double t = 0;
    for (const double dt : {0.1, 0.3, 0.2, 0.05}) {
      t += dt;
      scheme.begin(dt);
      auto line = vector_of([t](GlobalIndex i) { return static_cast<double>(i) + 3 * t; });
      scheme.rate(line, rate);
      for (const double r : test::gather(rate)) EXPECT_NEAR(r, 3, 1e-12);
      EXPECT_NEAR(scheme.error(line), 0, 1e-12);
      scheme.accept(line);
    }
    scheme.begin(0.1);
    scheme.predict(u);
    const std::vector<double> got = test::gather(u);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], static_cast<double>(i) + 3 * (t + 0.1), 1e-12);
  }
}

}  // namespace
}  // namespace trestle::solver
