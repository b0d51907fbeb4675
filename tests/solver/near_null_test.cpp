// Rigid-body modes, and which of them a matrix leaves free.
#include "solver/near_null.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solver/null_space_check.hpp"
#include "tests/solver/model_matrices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

using test::Model;

double dot(const Comm& comm, const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return comm.sum(sum);
}

void expect_orthonormal(const std::vector<std::vector<double>>& modes) {
  for (std::size_t i = 0; i < modes.size(); ++i)
    for (std::size_t j = 0; j < modes.size(); ++j)
      EXPECT_NEAR(dot(test::world(), modes[i], modes[j]), i == j ? 1 : 0, 1e-14);
}

TEST(NearNullTest, RigidBodyModesInSpaceAreSixAndKeepAllDistances) {
  const auto matrix =
      test::make_matrix<double>(gpu::make_cpu_device(), test::world(), test::laplacian_1d(8));
  const IndexMap& map = *matrix->pattern().map;
  std::vector<double> x;  // corners of a brick far from the origin
  for (Index i = 0; i < map.n_owned(); ++i) {
    const GlobalIndex node = map.ids()[static_cast<std::size_t>(i)];
    for (double value : {1e6 + static_cast<double>(node & 1), 2.0 * static_cast<double>(node & 2),
                         3.0 * static_cast<double>(node & 4)})
      x.push_back(value);
  }
  const auto modes = rigid_body_modes(map, 3, x);
  ASSERT_EQ(modes.size(), 6U);
  expect_orthonormal(modes);
  // A rigid motion changes no distance to first order: (x_a - x_b).(u_a - u_b) = 0.
  for (const auto& u : modes)
    for (std::size_t a = 0; a < x.size(); a += 3)
      for (std::size_t b = 0; b < a; b += 3) {
        double change = 0;
        for (std::size_t c = 0; c < 3; ++c) change += (x[a + c] - x[b + c]) * (u[a + c] - u[b + c]);
        EXPECT_NEAR(change, 0, 1e-8);  // 1e6 of offset leaves 1e-10 of a coordinate
      }
}

TEST(NearNullTest, ModesOfNodesOnALineLeaveOutTheirVanishingRotation) {
  const auto matrix =
      test::make_matrix<double>(gpu::make_cpu_device(), test::world(), test::laplacian_1d(5));
  const IndexMap& map = *matrix->pattern().map;
  std::vector<double> x;
  for (Index i = 0; i < map.n_owned(); ++i)
    for (double factor : {1.0, 0.0, 0.0})
      x.push_back(factor * static_cast<double>(map.ids()[static_cast<std::size_t>(i)]));
  const auto modes = rigid_body_modes(map, 3, x);
  EXPECT_EQ(modes.size(), 5U);
  expect_orthonormal(modes);
}

class NullSpaceCheckTest : public test::OnEachDevice {
 protected:
  /// Free combinations of the rigid-body modes of a plate in which `cut` says which components of a
  /// node keep their diagonal alone.
  template <class Real>
  std::vector<std::vector<double>> free_modes(
      const std::function<bool(GlobalIndex node, std::size_t component)>& cut,
      std::vector<std::vector<double>>& modes) {
    const Model plate = test::elastic_plate(nx, ny, false);
    const Model model = {
        plate.n_nodes, 2, [=](GlobalIndex node) {
          auto row = plate.row(node);
          for (auto& [other, block] : row)
            for (std::size_t k = 0; k < 4; ++k)
              if ((cut(node, k / 2) || cut(other, k % 2)) && !(node == other && k / 2 == k % 2))
                block[k] = 0;
          return row;
        }};
    const auto matrix = test::make_matrix<Real>(device(), test::world(), model);
    map = matrix->pattern().map;
    modes = rigid_body_modes(*map, 2, test::plate_coordinates(*map, nx));
    return free_combinations<Real>(matrix, modes);
  }
  static constexpr GlobalIndex nx = 9, ny = 4;
  std::shared_ptr<const IndexMap> map;
};
TRESTLE_ON_EACH_DEVICE(NullSpaceCheckTest);

TEST_P(NullSpaceCheckTest, AFloatingPlateIsFreeInAllThreeModes) {
  std::vector<std::vector<double>> modes;
  EXPECT_EQ(free_modes<double>([](GlobalIndex, std::size_t) { return false; }, modes).size(), 3U);
  EXPECT_EQ(free_modes<float>([](GlobalIndex, std::size_t) { return false; }, modes).size(), 3U);
}

TEST_P(NullSpaceCheckTest, AHeldPlateHasNone) {
  std::vector<std::vector<double>> modes;
  const auto left_edge = [](GlobalIndex node, std::size_t) { return node % (nx + 1) == 0; };
  EXPECT_TRUE(free_modes<double>(left_edge, modes).empty());
  EXPECT_TRUE(free_modes<float>(left_edge, modes).empty());
  // Three components are enough: both of one node, and one of another.
  const auto three = [](GlobalIndex node, std::size_t c) {
    return node == 0 || (node == nx && c == 1);
  };
  EXPECT_TRUE(free_modes<double>(three, modes).empty());
}

TEST_P(NullSpaceCheckTest, APinnedPlateTurnsAboutItsPin) {
  std::vector<std::vector<double>> modes;
  const auto free =
      free_modes<double>([](GlobalIndex node, std::size_t) { return node == 0; }, modes);
  ASSERT_EQ(free.size(), 1U);
  // The motion is u = w (-y, x) about the pin at the origin.
  const std::vector<double> x = test::plate_coordinates(*map, nx);
  std::vector<double> u(modes[0].size(), 0.0);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += free[0][k] * modes[k][i];
  double top = 0, below = 0;
  for (std::size_t i = 0; i < u.size(); i += 2) {
    top += -x[i / 2 * 3 + 1] * u[i] + x[i / 2 * 3] * u[i + 1];
    below += x[i / 2 * 3] * x[i / 2 * 3] + x[i / 2 * 3 + 1] * x[i / 2 * 3 + 1];
  }
  const double w = test::world().sum(top) / test::world().sum(below);
  for (std::size_t i = 0; i < u.size(); i += 2) {
    EXPECT_NEAR(u[i], -w * x[i / 2 * 3 + 1], 1e-12);
    EXPECT_NEAR(u[i + 1], w * x[i / 2 * 3], 1e-12);
  }
}

TEST_P(NullSpaceCheckTest, ARollerLeavesSliding) {
  std::vector<std::vector<double>> modes;
  const auto roller = [](GlobalIndex node, std::size_t c) { return node <= nx && c == 1; };
  const auto free = free_modes<double>(roller, modes);
  ASSERT_EQ(free.size(), 1U);
  EXPECT_NEAR(std::abs(free[0][0]), 1, 1e-9);  // the translation along x
}

}  // namespace
}  // namespace trestle::solver
