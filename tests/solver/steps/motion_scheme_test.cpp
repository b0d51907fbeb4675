// Schemes of second order in time against the closed form of damped oscillators.
#include "solver/steps/motion_scheme.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu/vector_ops.hpp"
#include "tests/solver/model_matrices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

/// Node i is an oscillator u'' + (c_m + c_k k_i) u' + k_i u = 0 with unit mass and k_i = 1 + i,
/// from u = 1 at rest.
class MotionSchemeTest : public test::OnEachDevice {
 protected:
  static constexpr GlobalIndex n = 4;
  static double stiffness(GlobalIndex i) { return 1 + static_cast<double>(i); }

  Vector<double> vector_of(const std::function<double(GlobalIndex)>& value) {
    if (!map_)
      map_ =
          test::make_matrix<double>(device(), test::world(), test::laplacian_1d(n))->pattern().map;
    return test::make_vector(device(), map_, 1, [&](GlobalIndex i, int) { return value(i); });
  }
  /// y = k x for each node.
  Vector<double> stiff(const Vector<double>& x) {
    Vector<double> y = vector_of([](GlobalIndex) { return 0.0; });
    const auto from = gpu::read(x.values());
    const auto to = gpu::write(y.values());
    for (Index i = 0; i < x.map().n_owned(); ++i)
      to[i] = stiffness(x.map().ids()[static_cast<std::size_t>(i)]) * from[i];
    return y;
  }
  /// -k u + c - (a u + h) - k (b u + k_offset) = 0.
  void solve(const StepForm& form, Vector<double>& u) {
    const auto h = gpu::read(form.mass_offset->values());
    const auto offset = gpu::read(
        (form.stiffness_offset != nullptr ? form.stiffness_offset : form.mass_offset)->values());
    const auto carried =
        gpu::read((form.carried != nullptr ? form.carried : form.mass_offset)->values());
    const auto to = gpu::write(u.values());
    for (Index i = 0; i < u.map().n_owned(); ++i) {
      const double k = stiffness(u.map().ids()[static_cast<std::size_t>(i)]);
      const double known = -h[i] + (form.carried != nullptr ? carried[i] : 0.0) -
                           (form.stiffness_offset != nullptr ? k * offset[i] : 0.0);
      to[i] = known / (k + form.mass_factor + k * form.stiffness_factor);
    }
  }
  struct Result {
    std::vector<double> u, v;
    double estimate;
  };
  Result march(const MotionParameters& p, int n_steps, double end) {
    Vector<double> u = vector_of([](GlobalIndex) { return 1.0; }),
                   v = vector_of([](GlobalIndex) { return 0.0; });
    Vector<double> forces = stiff(u);
    gpu::scale(device(), -1, forces.view());
    MotionScheme scheme(p, u, v, forces, forces);  // a = F as the mass is 1 and v = 0
    Result result{};
    for (int k = 0; k < n_steps; ++k) {
      solve(scheme.begin(end / n_steps), u);
      result.estimate = scheme.error(u);
      forces = stiff(u);
      gpu::scale(device(), -1, forces.view());
      scheme.accept(u, forces);
    }
    result.u = test::gather(u);
    result.v = test::gather(scheme.velocity());
    return result;
  }
  static double exact(const MotionParameters& p, GlobalIndex i, double t) {
    const double k = stiffness(i), decay = 0.5 * (p.mass_damping + p.stiffness_damping * k),
                 w = std::sqrt(k - decay * decay);
    return std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
  }
  double error(const MotionParameters& p, int n_steps) {
    const Result result = march(p, n_steps, 3);
    double largest = 0;
    for (GlobalIndex i = 0; i < n; ++i)
      largest = std::max(largest, std::abs(result.u[static_cast<std::size_t>(i)] - exact(p, i, 3)));
    return largest;
  }

 private:
  std::shared_ptr<const IndexMap> map_;
};
TRESTLE_ON_EACH_DEVICE(MotionSchemeTest);

TEST_P(MotionSchemeTest, ErrorsFallWithOrderTwoWithAndWithoutDamping) {
  for (MotionParameters p : {newmark(), generalized_alpha(1), generalized_alpha(0.8),
                             generalized_alpha(0.5), generalized_alpha(0)})
    for (const bool damped : {false, true}) {
      p.mass_damping = damped ? 0.3 : 0;
      p.stiffness_damping = damped ? 0.1 : 0;
      EXPECT_NEAR(std::log2(error(p, 200) / error(p, 400)), 2, 0.1) << p.alpha_f << " " << damped;
    }
}

TEST_P(MotionSchemeTest, NewmarkKeepsTheEnergyOfEveryOscillator) {
  const Result result = march(newmark(), 500, 100);
  for (GlobalIndex i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_NEAR(result.v[at] * result.v[at] + stiffness(i) * result.u[at] * result.u[at],
                stiffness(i), 1e-11);
  }
}

/// A step that is long for an oscillator multiplies its amplitude by the spectral radius in the
/// limit; 0 takes it away in two steps.
TEST_P(MotionSchemeTest, HighFrequenciesAreDampedByTheSpectralRadius) {
  for (const double radius : {0.8, 0.5}) {
    constexpr double dt = 1e6;
    const double shorter = std::abs(march(generalized_alpha(radius), 40, 40 * dt).u[0]),
                 longer = std::abs(march(generalized_alpha(radius), 60, 60 * dt).u[0]);
    // The root is double: u_n grows as n radius^n at most.
    EXPECT_NEAR(std::pow(longer / shorter * 40 / 60, 1.0 / 20), radius, 0.03) << radius;
  }
  EXPECT_LT(std::abs(march(generalized_alpha(0), 6, 6e6).u[0]), 1e-9);
}

TEST_P(MotionSchemeTest, TheEstimateIsTheErrorOfOneStepToLeadingOrder) {
  constexpr int n_steps = 1000;
  const MotionParameters p = newmark();
  const double dt = 3.0 / n_steps;
  double sum = 0;  // u''' dt^3 / 12 of cos(w t) at the end
  for (GlobalIndex i = 0; i < n; ++i) {
    const double w = std::sqrt(stiffness(i));
    sum += std::pow(w * w * w * std::sin(3 * w) * dt * dt * dt / 12, 2) / n;
  }
  EXPECT_NEAR(march(p, n_steps, 3).estimate / std::sqrt(sum), 1, 0.02);
}

}  // namespace
}  // namespace trestle::solver
