// Central differences against the closed form of damped oscillators, and their stable step.
#include "solver/steps/central_difference.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu/vector_ops.hpp"
#include "tests/solver/model_matrices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

/// Node i is an oscillator u'' + (c_m + c_k k_i) u' + k_i u = 0 with unit mass and k_i = 1 + i,
/// from u = 1 at rest.
class CentralDifferenceTest : public test::OnEachDevice {
 protected:
  static constexpr GlobalIndex n = 4;
  static constexpr double stiffest = n;
  static double stiffness(GlobalIndex i) { return 1 + static_cast<double>(i); }

  Vector<double> constant(double value) {
    if (!map_)
      map_ =
          test::make_matrix<double>(device(), test::world(), test::laplacian_1d(n))->pattern().map;
    return test::make_vector(device(), map_, 1, [&](GlobalIndex, int) { return value; });
  }
  /// a = -k u - c_k k v.
  Vector<double> rate(const Vector<double>& u, double stiffness_damping, const Vector<double>& v) {
    Vector<double> a = constant(0);
    const auto displacement = gpu::read(u.values()), velocity = gpu::read(v.values());
    const auto to = gpu::write(a.values());
    for (Index i = 0; i < u.map().n_owned(); ++i)
      to[i] = -stiffness(u.map().ids()[static_cast<std::size_t>(i)]) *
              (displacement[i] + stiffness_damping * velocity[i]);
    return a;
  }
  std::vector<double> march(double mass_damping, double stiffness_damping, double dt, int n_steps) {
    Vector<double> u = constant(1);
    const Vector<double> rest = constant(0);
    CentralDifference scheme(mass_damping, u, rest, rate(u, stiffness_damping, rest));
    for (int k = 0; k < n_steps; ++k) {
      scheme.begin(dt);
      scheme.predict(u);
      Vector<double> a = rate(u, stiffness_damping, scheme.half_velocity());
      scheme.damp(a);
      scheme.accept(u, a);
    }
    return test::gather(u);
  }
  static double exact(double mass_damping, double stiffness_damping, GlobalIndex i, double t) {
    const double k = stiffness(i), decay = 0.5 * (mass_damping + stiffness_damping * k),
                 w = std::sqrt(k - decay * decay);
    return std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
  }
  double error(double mass_damping, double stiffness_damping, int n_steps) {
    constexpr double end = 3;
    const std::vector<double> u = march(mass_damping, stiffness_damping, end / n_steps, n_steps);
    double largest = 0;
    for (GlobalIndex i = 0; i < n; ++i)
      largest = std::max(largest, std::abs(u[static_cast<std::size_t>(i)] -
                                           exact(mass_damping, stiffness_damping, i, end)));
    return largest;
  }

 private:
  std::shared_ptr<const IndexMap> map_;
};
TRESTLE_ON_EACH_DEVICE(CentralDifferenceTest);

TEST_P(CentralDifferenceTest, ErrorsFallWithOrderTwoAndWithOneOfTheDampingByStiffness) {
  EXPECT_NEAR(std::log2(error(0, 0, 200) / error(0, 0, 400)), 2, 0.1);
  EXPECT_NEAR(std::log2(error(0.3, 0, 200) / error(0.3, 0, 400)), 2, 0.1);
  EXPECT_NEAR(std::log2(error(0, 0.1, 400) / error(0, 0.1, 800)), 1, 0.1);
}

/// With half the damping of an oscillator 2 xi omega = c_k omega^2, the step of Belytschko's
/// formula is 2 / omega (sqrt(1 + xi^2) - xi).
TEST_P(CentralDifferenceTest, TheStableStepIsThatOfTheStiffestOscillator) {
  EXPECT_DOUBLE_EQ(stable_step(stiffest, 0), 2 / std::sqrt(stiffest));
  const double w = std::sqrt(stiffest), xi = 0.5 * 0.2 * w;
  EXPECT_NEAR(stable_step(stiffest, 0.2), 2 / w * (std::sqrt(1 + xi * xi) - xi), 1e-14);
  for (const double damping : {0.0, 0.2})
    for (const double mass_damping : {0.0, 0.3}) {
      const double longest = stable_step(stiffest, damping);
      const auto stiffest_after = [&](double dt) {
        return std::abs(march(mass_damping, damping, dt, 400)[n - 1]);
      };
      EXPECT_LE(stiffest_after(0.99 * longest), 1 + 1e-12) << damping << " " << mass_damping;
      EXPECT_GT(stiffest_after(1.05 * longest), 1e3) << damping << " " << mass_damping;
    }
}

}  // namespace
}  // namespace trestle::solver
