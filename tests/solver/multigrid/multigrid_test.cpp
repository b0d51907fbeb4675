// The cycle as a preconditioner: symmetric, positive, good on any ranks, calm about bad matrices.
#include "solver/multigrid/multigrid.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solver/krylov/cg.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/linear_solver.hpp"
#include "solver/matrix/matrix_operator.hpp"
#include "solver/near_null.hpp"
#include "tests/solver/solving.hpp"

namespace trestle::solver {
namespace {

using test::Model;
using test::world;

class MultigridTest : public test::OnEachDevice {
 protected:
  Vector<double> wave(const BlockMatrix<double>& a, double speed) {
    return test::make_vector(device(), a.pattern().map, a.block(), [=](GlobalIndex i, int c) {
      return std::sin(speed * static_cast<double>(i) + c);
    });
  }
  int iterations(const Model& model, const std::vector<std::vector<double>>& near_null = {}) {
    const auto a = test::make_matrix<double>(device(), world(), model);
    const MatrixOperator<double> product(a);
    Multigrid<double> m(*a, near_null);
    Cg<double> cg(product, m, false);
    Vector<double> r = wave(*a, 0.7), x = product.make_vector("vectors");
    const KrylovOutcome outcome = cg.solve(r, x, {1e-8, 200}, {});
    EXPECT_EQ(outcome.reason, Reason::converged);
    return outcome.iterations;
  }
  /// What the cycle makes of one vector.
  std::vector<double> cycle(Multigrid<double>& m, const BlockMatrix<double>& a) {
    const Vector<double> b = wave(a, 0.3);
    Vector<double> x = wave(a, 0);
    m.apply(b, 1, x);
    return test::gather(x);
  }
  /// A hierarchy made for `before` and updated to `after`, which has the same pattern, beside one
  /// made for `after`: the same bits of a cycle.
  void expect_update_is_set_up(const Model& before, const Model& after,
                               const std::vector<std::vector<double>>& near_null, Updates updates) {
    const auto a = test::make_matrix<double>(device(), world(), before);
    const auto other = test::make_matrix<double>(device(), world(), after);
    Multigrid<double> m(*a, near_null, updates);
    Multigrid<double> fresh(*other, near_null);
    m.update(*other, near_null);
    EXPECT_EQ(cycle(m, *other), cycle(fresh, *other));
    ASSERT_EQ(m.hierarchy().levels().size(), fresh.hierarchy().levels().size());
    for (std::size_t l = 0; l < m.hierarchy().levels().size(); ++l)
      EXPECT_EQ(m.hierarchy().levels()[l].entries, fresh.hierarchy().levels()[l].entries);
  }
};
TRESTLE_ON_EACH_DEVICE(MultigridTest);

/// More unknowns than ranks gather.
constexpr GlobalIndex chain_length = 6000;

/// A chain whose couplings are 0.5 and `other` in turn.
Model chain_of(double other) {
  return {chain_length, 1, [=](GlobalIndex i) {
            test::Row row;
            row[i] = {1.2};
            if (i > 0) row[i - 1] = {i % 2 == 0 ? other : -0.5};
            if (i < chain_length - 1) row[i + 1] = {i % 2 == 1 ? other : -0.5};
            return row;
          }};
}

/// `model` with its diagonal blocks times `factor`.
Model with_heavier_diagonal(const Model& model, double factor) {
  return {model.n_nodes, model.block, [=](GlobalIndex i) {
            test::Row row = model.row(i);
            for (double& entry : row[i]) entry *= factor;
            return row;
          }};
}

/// S A S with a diagonal S, which maps 1/s to about nothing where A does so with constants.
Model scaled(const Model& model, const std::function<double(GlobalIndex)>& s) {
  return {model.n_nodes, model.block, [=](GlobalIndex i) {
            test::Row row = model.row(i);
            for (auto& [j, block] : row)
              for (double& entry : block) entry *= s(i) * s(j);
            return row;
          }};
}

TEST_P(MultigridTest, AFieldThatTheOperatorMapsToNothingSavesIterations) {
  const auto s = [](GlobalIndex i) {
    return std::exp(1.5 * std::sin(0.9 * static_cast<double>(i)));
  };
  const Model model = scaled(test::laplacian_2d(90), s);
  const auto a = test::make_matrix<double>(device(), world(), model);
  std::vector<double> field;
  const IndexMap& map = *a->pattern().map;
  for (Index i = 0; i < map.n_owned(); ++i)
    field.push_back(1 / s(map.ids()[static_cast<std::size_t>(i)]));
  // With the field the cycle is that of the laplacian in other variables.
  const int with_constants = iterations(model), with_field = iterations(model, {field});
  EXPECT_LT(2 * with_field, with_constants);
}

TEST_P(MultigridTest, AnUpdateGivesTheBitsOfASetUpWhereAggregatesStay) {
  const Model laplacian = test::laplacian_2d(70);
  expect_update_is_set_up(laplacian, laplacian, {}, Updates::expected);
  expect_update_is_set_up(laplacian, with_heavier_diagonal(laplacian, 1.001), {},
                          Updates::expected);
  const Model plate = test::elastic_plate(60, 40, false);
  const auto a = test::make_matrix<double>(device(), world(), plate);
  const IndexMap& map = *a->pattern().map;
  expect_update_is_set_up(plate, with_heavier_diagonal(plate, 1.001),
                          rigid_body_modes(map, 2, test::plate_coordinates(map, 60)),
                          Updates::expected);
}

TEST_P(MultigridTest, AnUpdateMakesAllAnewWhereItMust) {
  const Model laplacian = test::laplacian_2d(70);
  expect_update_is_set_up(laplacian, with_heavier_diagonal(laplacian, 1.001), {}, Updates::none);
  // Couplings that were rounding alone become strong.
  expect_update_is_set_up(chain_of(1e-17), chain_of(-0.4), {}, Updates::expected);
}

TEST_P(MultigridTest, AnUpdateKeepsAggregatesAlthoughCouplingsWeaken) {
  const auto jumps = [](GlobalIndex k) { return k / 50 % 2 == 0 ? 1.0 : 1e6; };
  const auto a = test::make_matrix<double>(
      device(), world(), test::spring_chain(chain_length, [](GlobalIndex) { return 1.0; }));
  const auto other =
      test::make_matrix<double>(device(), world(), test::spring_chain(chain_length, jumps));
  Multigrid<double> m(*a, {}, Updates::expected);
  const GlobalIndex coarse = m.hierarchy().levels()[1].unknowns;
  m.update(*other, {});
  EXPECT_EQ(m.hierarchy().levels()[1].unknowns, coarse);
  const MatrixOperator<double> product(other);
  Cg<double> cg(product, m, false);
  Vector<double> r = wave(*other, 0.7), x = product.make_vector("vectors");
  EXPECT_EQ(cg.solve(r, x, {1e-8, 200}, {}).reason, Reason::converged);
}

TEST_P(MultigridTest, ASetUpTellsBetweenItsPartsAndEndsWhereThatThrows) {
  const auto a = test::make_matrix<double>(device(), world(), chain_of(-0.5));
  constexpr int parts_of_a_level = 3;
  int heard = 0;
  Multigrid<double> m(*a, {}, Updates::expected, [&] { ++heard; });
  EXPECT_GE(heard, parts_of_a_level);
  heard = 0;
  EXPECT_TRUE(m.update(*a, {}));
  EXPECT_GE(heard, parts_of_a_level);
  const SetUpObserver stop = [] { throw Error(ExitCode::stopped_unsaved, "asked to stop"); };
  EXPECT_THROW(Multigrid<double>(*a, {}, Updates::none, stop), Error);
}

TEST_P(MultigridTest, TheCycleIsSymmetricAndPositive) {
  const auto a = test::make_matrix<double>(device(), world(), test::laplacian_2d(40));
  Multigrid<double> m(*a, {});
  ASSERT_GE(m.hierarchy().levels().size(), 2U);
  const Vector<double> x = wave(*a, 0.3), y = wave(*a, 1.9);
  Vector<double> mx = wave(*a, 0), my = wave(*a, 0);
  m.apply(x, 1, mx);
  m.apply(y, 1, my);
  EXPECT_NEAR(dot(mx, y), dot(x, my), 1e-12 * norm(mx) * norm(y));
  EXPECT_GT(dot(mx, x), 0);
}

TEST_P(MultigridTest, IterationsHardlyGrowWithTheMesh) {
  const int coarse = iterations(test::laplacian_2d(30));
  const int fine = iterations(test::laplacian_2d(120));
  EXPECT_LE(fine, 1.5 * coarse) << "16 times the unknowns";
}

TEST_P(MultigridTest, RigidBodyModesMakeElasticityConverge) {
  const Model plate = test::elastic_plate(60, 20, true);
  const auto a = test::make_matrix<double>(device(), world(), plate);
  const IndexMap& map = *a->pattern().map;
  auto modes = rigid_body_modes(map, 2, test::plate_coordinates(map, 60));
  for (auto& mode : modes)  // fixed nodes take no part
    for (std::size_t i = 0; i < static_cast<std::size_t>(map.n_owned()); ++i)
      if (map.ids()[i] % 61 == 0) mode[2 * i] = mode[2 * i + 1] = 0;
  EXPECT_LT(iterations(plate, modes), iterations(plate));
}

TEST_P(MultigridTest, JumpsOfAMillionInTheCoefficientDoNotMatter) {
  const auto jumps = [](GlobalIndex k) { return k / 50 % 2 == 0 ? 1.0 : 1e6; };
  EXPECT_LE(iterations(test::spring_chain(2000, jumps)), 40);
}

TEST_P(MultigridTest, AMatrixWithoutCouplingsIsSolvedByTheSmootherAlone) {
  const auto a = test::make_matrix<double>(device(), world(),
                                           {5000, 1, [](GlobalIndex i) {
                                              return test::Row{{i, {1.0 + static_cast<double>(i)}}};
                                            }});
  Multigrid<double> m(*a, {});
  EXPECT_EQ(m.hierarchy().levels().size(), 1U);
}

TEST_P(MultigridTest, ASingularMatrixIsSolvedWhereItsRightSideFits) {
  // A free chain: constants are its null space; the right side sums to zero.
  const Model chain{900, 1, [](GlobalIndex i) {
                      test::Row row;
                      row[i] = {(i > 0 ? 1.0 : 0.0) + (i < 899 ? 1.0 : 0.0)};
                      if (i > 0) row[i - 1] = {-1};
                      if (i < 899) row[i + 1] = {-1};
                      return row;
                    }};
  const auto a = test::make_matrix<double>(device(), world(), chain);
  const MatrixOperator<double> product(a);
  Multigrid<double> m(*a, {});
  EXPECT_NE(m.hierarchy().remark(), "");
  Cg<double> cg(product, m, false);
  Vector<double> r = test::make_vector(device(), a->pattern().map, 1, [](GlobalIndex i, int) {
    return i == 100 ? 1.0 : i == 700 ? -1.0 : 0.0;
  });
  Vector<double> x = product.make_vector("vectors");
  EXPECT_EQ(cg.solve(r, x, {1e-8, 200}, {}).reason, Reason::converged);
  const std::vector<double> got = test::gather(x);
  EXPECT_NEAR(got[100] - got[700], 600, 1e-3);
}

TEST_P(MultigridTest, AnIndefiniteMatrixFallsBackWithItsReason) {
  const Model indefinite{900, 1, [](GlobalIndex i) {
                           test::Row row;
                           row[i] = {1.5};  // eigenvalues from -0.5 to 3.5
                           if (i > 0) row[i - 1] = {-1};
                           if (i < 899) row[i + 1] = {-1};
                           return row;
                         }};
  const auto solved =
      test::solve(device(), indefinite,
                  test::options_for(Method::automatic, Preconditioner::automatic, Precision::mixed),
                  std::vector<double>(900, 1.0));
  EXPECT_TRUE(solved.result.converged) << solved.result.message;
  EXPECT_NE(solved.result.choice.find("cg with amg in mixed failed"), std::string::npos)
      << solved.result.choice;
}

}  // namespace
}  // namespace trestle::solver
