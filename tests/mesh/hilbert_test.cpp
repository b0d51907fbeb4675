// Tests of the Hilbert curve: it visits every cell of a grid once, by steps between neighbours.
#include "mesh/hilbert.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <vector>

namespace trestle::mesh {
namespace {

constexpr int n = 16;  // grid of 2^4 cells per axis

TEST(HilbertTest, VisitsEveryCellOnceByStepsBetweenNeighbours) {
  const HilbertCurve curve({{0, 0, 0}, {n, n, n}});
  std::map<std::uint64_t, std::array<int, 3>> visits;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        visits[curve.key(i + 0.5, j + 0.5, k + 0.5) >> (3 * (HilbertCurve::bits - 4))] = {i, j, k};
  ASSERT_EQ(visits.size(), std::size_t{n * n * n});
  EXPECT_EQ(visits.rbegin()->first, std::uint64_t{n * n * n - 1});
  std::array<int, 3> before = visits.begin()->second;
  for (auto visit = std::next(visits.begin()); visit != visits.end(); ++visit) {
    const std::array<int, 3>& now = visit->second;
    EXPECT_EQ(
        std::abs(now[0] - before[0]) + std::abs(now[1] - before[1]) + std::abs(now[2] - before[2]),
        1);
    before = now;
  }
}

TEST(HilbertTest, StartsAndEndsAtCornersWithTheFirstAndLastKeyOf63Bits) {
  const HilbertCurve curve({{-1, -1, -1}, {1, 1, 1}});
  EXPECT_EQ(curve.key(-1, -1, -1), 0u);
  std::uint64_t largest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const std::uint64_t key =
        curve.key(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    largest = std::max(largest, key);
  }
  EXPECT_EQ(largest, (std::uint64_t{1} << 63) - 1);
}

TEST(HilbertTest, TakesPointsOutsideAndFlatBoxes) {
  const HilbertCurve curve({{0, 0, 0}, {2, 1, 0}});
  EXPECT_EQ(curve.key(-5, 0.5, 0), curve.key(0, 0.5, 0));
  EXPECT_EQ(curve.key(7, 0.5, 0), curve.key(2, 0.5, 0));
  EXPECT_EQ(curve.key(std::nan(""), 0, 0), curve.key(0, 0, 0));
  EXPECT_NE(curve.key(1, 0.25, 0), curve.key(1, 0.75, 0));
  const HilbertCurve point({{3, 3, 3}, {3, 3, 3}});
  EXPECT_EQ(point.key(3, 3, 3), 0u);
}

TEST(HilbertTest, FourPointsAtOnceHaveTheKeysOfEach) {
  const HilbertCurve curve({{0, 0, 0}, {1, 2, 1.5}});
  const std::array<HilbertCurve::Point, 4> points{
      {{0.1, 0.2, 0.3}, {0.99, 1.9, 1.4}, {-1, 5, 0.7}, {0.5, 0.5, 0.5}}};
  const auto keys = curve.keys(points);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(keys[i], curve.key(points[i][0], points[i][1], points[i][2]));
}

}  // namespace
}  // namespace trestle::mesh
