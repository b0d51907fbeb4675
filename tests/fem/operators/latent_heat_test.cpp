// Latent heat at nodes: contents, and corrections that keep to the heat they stand for.
#include "fem/operators/latent_heat.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gpu/vector_ops.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/meshes.hpp"

namespace trestle::fem {
namespace {

using solver::Vector;
using test::world;

constexpr double capacity = 0.5;                                                  // [J/K]
constexpr double heat[2] = {8, 3}, solidus[2] = {0, 1}, liquidus[2] = {2, 1.25};  // [J, K]

double content(double T) {
  double sum = 0;
  for (int m = 0; m < 2; ++m)
    sum += heat[m] * std::clamp((T - solidus[m]) / (liquidus[m] - solidus[m]), 0.0, 1.0);
  return sum;
}
double slope(double T) {
  double sum = 0;
  for (int m = 0; m < 2; ++m)
    if (T >= solidus[m] && T < liquidus[m]) sum += heat[m] / (liquidus[m] - solidus[m]);
  return sum;
}

class LatentHeatTest : public test::OnEachDevice {
 protected:
  Vector<double> filled(double value) const {
    Vector<double> v(device(), mesh_->nodes, 1, "test");
    gpu::fill(device(), v.view(), value);
    return v;
  }
  /// A value that depends on the node alone, between `low` and `high`.
  Vector<double> scattered(double low, double high, unsigned seed) const {
    Vector<double> v(device(), mesh_->nodes, 1, "test");
    const auto values = gpu::write(v.values());
    for (Offset i = 0; i < v.n_local(); ++i) {
      std::mt19937 random(seed +
                          static_cast<unsigned>(mesh_->nodes->ids()[static_cast<std::size_t>(i)]));
      values[i] = std::uniform_real_distribution<double>(low, high)(random);
    }
    return v;
  }
  LatentHeat two_materials() const {
    std::vector<Melting> melting;
    for (int m = 0; m < 2; ++m) melting.push_back({filled(heat[m]), solidus[m], liquidus[m]});
    return LatentHeat(std::move(melting));
  }
  std::shared_ptr<const mesh::Mesh> mesh_ = test::box_mesh(world(), mesh::CellType::quad4, 6, 0.0);
};
TRESTLE_ON_EACH_DEVICE(LatentHeatTest);

TEST_P(LatentHeatTest, GrowsLinearlyFromSolidusToLiquidus) {
  const Vector<double> T = scattered(-1, 3, 1);
  Vector<double> w = filled(0), s = filled(0);
  two_materials().content(T, w);
  two_materials().slope(T, s);
  const std::vector<double> at = gpu::download(T.values()), of = gpu::download(w.values()),
                            rise = gpu::download(s.values());
  for (std::size_t i = 0; i < static_cast<std::size_t>(T.n_owned()); ++i) {
    EXPECT_NEAR(of[i], content(at[i]), 1e-13);
    EXPECT_NEAR(rise[i], slope(at[i]), 1e-13);
  }
}

/// H(T + dT) = H(T) + (C + w'(T)) dT0 for the correction dT0 that came in, also over all kinks.
TEST_P(LatentHeatTest, ACorrectionKeepsItsHeat) {
  const Vector<double> T = scattered(-1, 3, 1);
  for (const double size : {0.1, 4.0, 60.0}) {
    const Vector<double> before = scattered(-size, size, 100);
    Vector<double> change = filled(0);
    gpu::copy(device(), before.view(), change.view());
    two_materials().limit(filled(capacity), T, change);
    const std::vector<double> at = gpu::download(T.values()),
                              asked = gpu::download(before.values()),
                              got = gpu::download(change.values());
    for (std::size_t i = 0; i < static_cast<std::size_t>(T.n_local()); ++i) {
      const double wanted = (capacity + slope(at[i])) * asked[i];
      const double stored = capacity * got[i] + content(at[i] + got[i]) - content(at[i]);
      EXPECT_NEAR(stored, wanted, 1e-12 * (1 + std::abs(wanted))) << at[i] << " by " << asked[i];
    }
  }
}

}  // namespace
}  // namespace trestle::fem
