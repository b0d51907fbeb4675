// Prolongators and coarse matrices against their definitions, as dense matrices, on any ranks.
#include "solver/multigrid/galerkin.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "solver/multigrid/prolongation.hpp"
#include "solver/near_null.hpp"
#include "tests/solver/multigrid/level_matrices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

using test::Dense;
using test::world;

struct TwoLevels {
  LevelMatrix fine;
  NearNull near_null;
  Aggregates aggregates;
  Tentative tentative;
  CoarseLevel coarse;
};

TwoLevels coarsen(const test::Model& model, const std::vector<std::vector<double>>& vectors,
                  double omega) {
  TwoLevels two;
  two.fine = test::level_matrix(world(), model);
  const IndexMap& map = *two.fine.pattern->map;
  two.near_null = make_near_null(vectors, model.block, map.n_owned());
  const auto strong = strong_entries(two.fine.rows(), map, 0.04);
  two.aggregates = aggregate(two.fine.rows(), strong);
  two.tentative = make_tentative(two.aggregates, two.near_null, model.block);
  LocalNumbers numbers(world().exclusive_sum(two.aggregates.n), two.aggregates.n);
  BlockRowsStore p = smooth_prolongator(two.fine.rows(), map, strong, two.aggregates, two.tentative,
                                        omega, numbers);
  two.coarse = make_coarse_level(two.fine.rows(), map, std::move(p), std::move(numbers));
  return two;
}

/// A free plate with its rigid-body modes.
TwoLevels coarsen_plate(double omega) {
  const test::Model plate = test::elastic_plate(11, 8, false);
  const LevelMatrix fine = test::level_matrix(world(), plate);
  const IndexMap& map = *fine.pattern->map;
  return coarsen(plate, rigid_body_modes(map, 2, test::plate_coordinates(map, 11)), omega);
}

Dense dense(const BlockRowsOnHost& rows, const IndexMap& columns) {
  return test::dense_of(world(), rows, columns);
}

/// The coarse matrix is P' A P but for unknowns that no fine one sees.
void expect_galerkin(const TwoLevels& two) {
  const IndexMap& fine = *two.fine.pattern->map;
  const IndexMap& map = *two.coarse.matrix.pattern->map;
  const Dense p = dense(two.coarse.prolongator.rows(), map);
  const Dense r = dense(two.coarse.restriction.rows(), fine);
  EXPECT_EQ(test::largest_difference(r, test::transpose(p)), 0);
  const Dense a = dense(two.fine.rows(), fine);
  const Dense c = dense(two.coarse.matrix.rows(), map);
  const Dense want = test::multiply(test::transpose(p), test::multiply(a, p));
  ASSERT_GT(c.n_rows, 0U);
  ASSERT_LT(c.n_rows, a.n_rows);
  for (std::size_t i = 0; i < c.n_rows; ++i)
    for (std::size_t j = 0; j < c.n_rows; ++j) {
      if (i == j && want(i, i) == 0) continue;
      EXPECT_NEAR(c(i, j), want(i, j), 1e-13);
    }
  // Blocks of one rank are mirrored; those between ranks are computed on both.
  EXPECT_LE(test::largest_difference(c, test::transpose(c)), world().size() == 1 ? 0 : 1e-14);
}

TEST(GalerkinTest, TheCoarseMatrixIsPTransposedAPOnAnyRanks) {
  expect_galerkin(coarsen(test::laplacian_2d(13), {}, 0.6));
  expect_galerkin(coarsen(test::laplacian_2d(7, 2, {2, 0.5, 0.5, 1}), {}, 0.6));
  expect_galerkin(coarsen(test::laplacian_2d(6, 3, {2, 0.5, 0, 0.5, 1, 0, 0, 0, 3}), {}, 0.6));
  expect_galerkin(coarsen_plate(0.5));
}

TEST(GalerkinTest, NearNullVectorsPassThroughTheProlongatorWhereTheMatrixKillsThem) {
  // A B = 0 on a free plate, so (I - omega D^-1 A) B = B.
  const TwoLevels two = coarsen_plate(0.5);
  const Dense p = dense(two.coarse.prolongator.rows(), *two.coarse.matrix.pattern->map);
  const auto n = static_cast<std::size_t>(two.near_null.n);
  const auto whole = [&](const NearNull& b) {
    std::vector<double> values = world().all_gather(std::span<const double>(b.values));
    return Dense{values.size() / n, n, values};
  };
  EXPECT_LE(test::largest_difference(test::multiply(p, whole(two.tentative.coarse)),
                                     whole(two.near_null)),
            1e-13);
}

TEST(GalerkinTest, TentativeColumnsAreOrthonormal) {
  const TwoLevels two = coarsen_plate(0);  // omega 0: P is the tentative one
  const Dense p = dense(two.coarse.prolongator.rows(), *two.coarse.matrix.pattern->map);
  const Dense gram = test::multiply(test::transpose(p), p);
  for (std::size_t i = 0; i < gram.n_rows; ++i)
    for (std::size_t j = 0; j < gram.n_rows; ++j) {
      const bool empty = gram(i, i) == 0;  // vectors that depend on each other on an aggregate
      EXPECT_NEAR(gram(i, j), i == j && !empty ? 1 : 0, 1e-14);
    }
}

TEST(GalerkinTest, AnAggregateOfOneNodeLeavesRotationsOutAndStaysInvertible) {
  // One node with three vectors in the plane: its block has rank 2.
  Aggregates single;
  single.n = 1;
  single.of = {0};
  const NearNull b{3, {1, 0, 0.5, 0, 1, -0.25}};
  const Tentative t = make_tentative(single, b, 2);
  EXPECT_EQ(t.values, (std::vector<double>{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(t.coarse.values, (std::vector<double>{1, 0, 0.5, 0, 1, -0.25, 0, 0, 0}));
}

TEST(GalerkinTest, APatternThatIsNotSymmetricIsNamed) {
  if (world().size() > 1) GTEST_SKIP() << "looks at the rows of one rank";
  const LevelMatrix a = test::level_matrix(world(), {3, 1, [](GlobalIndex i) {
                                                       test::Row row;
                                                       row[i] = {2};
                                                       if (i == 0) row[2] = {-1};
                                                       return row;
                                                     }});
  BlockRowsStore p;
  p.columns = {0, 1, 2};
  p.values = {1, 1, 1};
  p.offsets = {0, 1, 2, 3};
  EXPECT_THROW(static_cast<void>(make_coarse_level(a.rows(), *a.pattern->map, p,
                                                   LocalNumbers(0, 3))),
               Error);
}

TEST(GalerkinTest, NegligibleEntriesAreDroppedOnlyWhereTheyAreMany) {
  const auto star = [](double off) {
    return test::Model{40, 1, [=](GlobalIndex i) {
                         test::Row row;
                         row[i] = {2};
                         if (i > 0) row[i - 1] = {i % 2 == 0 ? off : -0.5};
                         if (i < 39) row[i + 1] = {i % 2 == 1 ? off : -0.5};
                         return row;
                       }};
  };
  const LevelMatrix many = test::level_matrix(world(), star(1e-17));
  const auto kept = without_negligible(many.rows(), many.pattern->map);
  ASSERT_TRUE(kept.has_value());
  for (double value : kept->values) EXPECT_GE(std::abs(value), 0.5);
  EXPECT_LE(test::largest_difference(dense(kept->rows(), *many.pattern->map),
                                     dense(many.rows(), *many.pattern->map)),
            1e-17);
  for (Index row = 0; row < kept->rows().n_rows(); ++row)  // the first run is that of owned nodes
    for (Offset e = kept->pattern->owned_offsets[static_cast<std::size_t>(row)];
         e < kept->pattern->owned_offsets[static_cast<std::size_t>(row) + 1]; ++e)
      EXPECT_LT(kept->pattern->columns[static_cast<std::size_t>(e)], many.pattern->map->n_owned());
  const LevelMatrix none = test::level_matrix(world(), star(1e-3));
  EXPECT_FALSE(without_negligible(none.rows(), none.pattern->map).has_value());
}

}  // namespace
}  // namespace trestle::solver
