// Strong couplings and aggregates on stars whose couplings are known.
#include "solver/multigrid/aggregation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/solver/multigrid/level_matrices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

using test::world;

/// A five-point star on n x n points whose couplings along y are `weak` of those along x.
test::Model stretched(GlobalIndex n, double weak) {
  return {n * n, 1, [=](GlobalIndex i) {
            test::Row row;
            row[i] = {2 + 2 * weak};
            if (i % n > 0) row[i - 1] = {-1};
            if (i % n + 1 < n) row[i + 1] = {-1};
            if (i >= n) row[i - n] = {-weak};
            if (i + n < n * n) row[i + n] = {-weak};
            return row;
          }};
}

TEST(AggregationTest, OnlyCouplingsAboveTheThresholdAreStrong) {
  constexpr GlobalIndex n = 12;
  const LevelMatrix a = test::level_matrix(world(), stretched(n, 0.01));
  const BlockRowsOnHost rows = a.rows();
  const IndexMap& map = *a.pattern->map;
  const auto strong = strong_entries(rows, map, 0.08);
  for (Index row = 0; row < rows.n_rows(); ++row)
    rows.visit_row(row, [&](Offset e, Index column) {
      const GlobalIndex distance = std::abs(map.ids()[static_cast<std::size_t>(row)] -
                                            map.ids()[static_cast<std::size_t>(column)]);
      // 1 / 2.02 along x, 0.01 / 2.02 along y.
      EXPECT_EQ(strong[static_cast<std::size_t>(e)], distance == 1 ? 1 : 0);
    });
}

TEST(AggregationTest, EveryCoupledNodeIsInOneAggregateAndAggregatesFollowStrongCouplings) {
  constexpr GlobalIndex n = 24;
  const LevelMatrix a = test::level_matrix(world(), stretched(n, 0.01));
  const BlockRowsOnHost rows = a.rows();
  const Aggregates aggregates = aggregate(rows, strong_entries(rows, *a.pattern->map, 0.08));
  std::vector<int> sizes(static_cast<std::size_t>(aggregates.n), 0);
  std::vector<GlobalIndex> line(sizes.size(), -1);
  for (std::size_t i = 0; i < aggregates.of.size(); ++i) {
    ASSERT_GE(aggregates.of[i], 0);
    ASSERT_LT(aggregates.of[i], aggregates.n);
    const auto of = static_cast<std::size_t>(aggregates.of[i]);
    ++sizes[of];
    const GlobalIndex y = a.pattern->map->ids()[i] / n;
    EXPECT_TRUE(line[of] == -1 || line[of] == y) << "an aggregate crosses weak couplings";
    line[of] = y;
  }
  for (int size : sizes) EXPECT_GE(size, 1);
  if (aggregates.n > 0) {
    EXPECT_GE(static_cast<double>(aggregates.of.size()) / aggregates.n, 2.0);
  }
}

TEST(AggregationTest, NodesWithoutStrongCouplingsAreLeftOut) {
  const LevelMatrix a = test::level_matrix(
      world(), {30, 2, [](GlobalIndex i) { return test::Row{{i, {2, 0.1, 0.1, 1}}}; }});
  const Aggregates aggregates =
      aggregate(a.rows(), strong_entries(a.rows(), *a.pattern->map, 0.08));
  EXPECT_EQ(aggregates.n, 0);
  for (Index of : aggregates.of) EXPECT_EQ(of, -1);
}

}  // namespace
}  // namespace trestle::solver
