// CG, MINRES, GMRES, BiCGStab, block Jacobi and Chebyshev alone, against what theory says of each.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/bicgstab.hpp"
#include "solver/krylov/cg.hpp"
#include "solver/krylov/chebyshev.hpp"
#include "solver/krylov/gmres.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/krylov/minres.hpp"
#include "solver/krylov/simple_preconditioners.hpp"
#include "solver/matrix/matrix_operator.hpp"
#include "tests/solver/model_matrices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

using test::Model;

class KrylovTest : public test::OnEachDevice {
 protected:
  std::shared_ptr<BlockMatrix<double>> matrix_of(const Model& model) {
    return test::make_matrix<double>(device(), test::world(), model);
  }
  Vector<double> vector_of(const BlockMatrix<double>& matrix,
                           const std::function<double(GlobalIndex, int)>& value) {
    return test::make_vector(device(), matrix.pattern().map, matrix.block(), value);
  }
};
TRESTLE_ON_EACH_DEVICE(KrylovTest);

/// Component i of the eigenvector k of tridiag(-1, 2, -1) with n rows; the angle is reduced to one
/// turn, so that it is right to the last bits.
double mode(GlobalIndex i, int k, GlobalIndex n) {
  return std::sin(std::numbers::pi * static_cast<double>(k * (i + 1) % (2 * n + 2)) /
                  static_cast<double>(n + 1));
}

TEST_P(KrylovTest, CgEndsAfterAsManyStepsAsThereAreEigenvaluesAndSeesTheLargest) {
  constexpr GlobalIndex n = 12;
  const auto matrix = matrix_of(test::laplacian_1d(n));
  const MatrixOperator<double> a(matrix);
  Identity<double> identity;
  Cg<double> cg(a, identity, false);
  auto r = vector_of(*matrix, [](GlobalIndex i, int) { return i == 0 ? 1.0 : 0.0; });
  auto x = a.make_vector("vectors");
  const KrylovOutcome outcome = cg.solve(r, x, {1e-12, 100}, {});
  EXPECT_EQ(outcome.reason, Reason::converged);
  EXPECT_EQ(outcome.iterations, 12);  // e_0 holds all twelve
  EXPECT_NEAR(largest_ritz_value(cg.alphas(), cg.betas()), 2 + 2 * std::cos(std::numbers::pi / 13),
              1e-9);
  // Column 0 of the inverse: x_i = 1 - (i + 1) / (n + 1).
  const std::vector<double> got = test::gather(x);
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], 1 - static_cast<double>(i + 1) / 13, 1e-12);
}

TEST_P(KrylovTest, CgFindsAnEigenvectorInOneStep) {
  constexpr GlobalIndex n = 30;
  const auto matrix = matrix_of(test::laplacian_1d(n));
  const MatrixOperator<double> a(matrix);
  Identity<double> identity;
  for (bool flexible : {false, true}) {
    Cg<double> cg(a, identity, flexible);
    auto r = vector_of(*matrix, [](GlobalIndex i, int) { return mode(i, 3, n); });
    auto x = a.make_vector("vectors");
    EXPECT_EQ(cg.solve(r, x, {1e-12, 10}, {}).iterations, 1);
    const double lambda = 2 - 2 * std::cos(3 * std::numbers::pi / 31);
    const std::vector<double> got = test::gather(x);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], mode(static_cast<GlobalIndex>(i), 3, n) / lambda, 1e-11);
  }
}

/// x_i -> x_(i+1): GMRES gains nothing on it before step n [Greenbaum, Ptak & Strakos 1996].
Model cyclic_shift(std::size_t n) {
  std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) a[i][(i + 1) % n] = 1;
  return test::dense(a);
}

TEST_P(KrylovTest, GmresEndsATrialAtAPaceThatWillNotDo) {
  const auto matrix = matrix_of(cyclic_shift(12));  // no progress before the twelfth iteration
  const MatrixOperator<double> a(matrix);
  Identity<double> identity;
  Gmres<double> gmres(a, identity, 12);
  KrylovTarget target{1e-12, 200};
  for (int trial : {0, 5}) {
    target.trial_iterations = trial;
    auto r = vector_of(*matrix, [](GlobalIndex i, int) { return i == 0 ? 1.0 : 0.0; });
    auto x = a.make_vector("vectors");
    const KrylovOutcome outcome = gmres.solve(r, x, target, {});
    EXPECT_EQ(outcome.reason, trial == 0 ? Reason::converged : Reason::too_slow);
    EXPECT_EQ(outcome.iterations, trial == 0 ? 12 : 5);
    EXPECT_EQ(outcome.relative_residual <= 1e-12, trial == 0);
  }
}

TEST_P(KrylovTest, GmresSolvesTheCyclicShiftInItsLastStepOnlyAndStagnatesWithLess) {
  const auto matrix = matrix_of(cyclic_shift(12));
  const MatrixOperator<double> a(matrix);
  Identity<double> identity;
  for (int restart : {12, 5}) {
    Gmres<double> gmres(a, identity, restart);
    auto r = vector_of(*matrix, [](GlobalIndex i, int) { return i == 0 ? 1.0 : 0.0; });
    auto x = a.make_vector("vectors");
    const KrylovOutcome outcome = gmres.solve(r, x, {1e-12, 200}, {});
    EXPECT_EQ(outcome.reason, restart == 12 ? Reason::converged : Reason::stagnated);
    EXPECT_EQ(outcome.iterations, restart == 12 ? 12 : 15);
    if (restart == 12) {
      EXPECT_NEAR(test::gather(x)[1], 1, 1e-14);
    }
  }
}

/// Four eigenvalues, two of them negative, five times each.
double eigenvalue(GlobalIndex i) {
  constexpr double of[] = {-3, -1, 2, 5};
  return of[i % 4];
}

Model diagonal(GlobalIndex n) {
  return {n, 1, [](GlobalIndex i) { return test::Row{{i, {eigenvalue(i)}}}; }};
}

TEST_P(KrylovTest, MinresEndsAfterAsManyStepsAsThereAreEigenvaluesOfAnySign) {
  const auto matrix = matrix_of(diagonal(20));
  const MatrixOperator<double> a(matrix);
  Identity<double> identity;
  Minres<double> minres(a, identity);
  auto r = vector_of(*matrix, [](GlobalIndex i, int) { return 1 + 0.1 * static_cast<double>(i); });
  auto x = a.make_vector("vectors");
  const KrylovOutcome outcome = minres.solve(r, x, {1e-12, 100}, {});
  EXPECT_EQ(outcome.reason, Reason::converged);
  EXPECT_EQ(outcome.iterations, 4);
  const std::vector<double> got = test::gather(x);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double b = 1 + 0.1 * static_cast<double>(i);
    EXPECT_NEAR(got[i], b / eigenvalue(static_cast<GlobalIndex>(i)), 1e-11);
  }
}

/// tridiag(-2, 1 + i mod 3, -2): indefinite, with a positive diagonal.
Model indefinite_chain(GlobalIndex n) {
  return {n, 1, [=](GlobalIndex i) {
            test::Row row{{i, {static_cast<double>(1 + i % 3)}}};
            if (i > 0) row[i - 1] = {-2};
            if (i + 1 < n) row[i + 1] = {-2};
            return row;
          }};
}

TEST_P(KrylovTest, MinresLeavesTheResidualOfFullGmresAndItNeverGrows) {
  constexpr GlobalIndex n = 40;
  const auto matrix = matrix_of(indefinite_chain(n));
  const MatrixOperator<double> a(matrix);
  Identity<double> identity;
  Minres<double> minres(a, identity);
  Gmres<double> gmres(a, identity, n);
  std::vector<std::vector<double>> histories;
  for (KrylovMethod<double>* method :
       {static_cast<KrylovMethod<double>*>(&minres), static_cast<KrylovMethod<double>*>(&gmres)}) {
    auto r =
        vector_of(*matrix, [](GlobalIndex i, int) { return std::cos(static_cast<double>(i)); });
    auto x = a.make_vector("vectors");
    std::vector<double>& history = histories.emplace_back();
    static_cast<void>(
        method->solve(r, x, {1e-10, 25}, [&](int, double value) { history.push_back(value); }));
  }
  ASSERT_EQ(histories[0].size(), 25U);
  for (std::size_t k = 0; k < 25; ++k) EXPECT_NEAR(histories[0][k], histories[1][k], 1e-9) << k;
  for (std::size_t k = 1; k < 25; ++k) EXPECT_LE(histories[0][k], histories[0][k - 1] + 1e-15) << k;
}

TEST_P(KrylovTest, TheResidualsThatMinresAndBicgstabCarryAreTheTrueOnes) {
  constexpr GlobalIndex n = 40;
  const Model model = indefinite_chain(n);
  const auto matrix = matrix_of(model);
  const MatrixOperator<double> a(matrix);
  FloatPreconditioner jacobi(std::make_unique<BlockJacobi<float>>(*matrix), a);
  Minres<double> minres(a, jacobi);
  Bicgstab<double> bicgstab(a, jacobi);
  std::vector<double> b;
  for (GlobalIndex i = 0; i < n; ++i) b.push_back(std::cos(static_cast<double>(i)));
  for (KrylovMethod<double>* method :
       {static_cast<KrylovMethod<double>*>(&minres), static_cast<KrylovMethod<double>*>(&bicgstab)})
    for (int steps : {1, 2, 3, 9}) {
      auto r =
          vector_of(*matrix, [&](GlobalIndex i, int) { return b[static_cast<std::size_t>(i)]; });
      auto x = a.make_vector("vectors");
      const KrylovOutcome outcome = method->solve(r, x, {1e-12, steps}, {});
      EXPECT_EQ(outcome.iterations, steps);
      EXPECT_NEAR(outcome.relative_residual, test::relative_residual(model, test::gather(x), b),
                  1e-12 * (1 + outcome.relative_residual))
          << method->name() << ' ' << steps;
    }
}

TEST_P(KrylovTest, MinresNamesAPreconditionerThatIsNotPositiveAndASingularMatrix) {
  const auto matrix = matrix_of(diagonal(8));
  const MatrixOperator<double> a(matrix);
  BlockJacobi<double> jacobi(*matrix);  // has the signs of the diagonal
  Minres<double> minres(a, jacobi);
  auto r = vector_of(*matrix, [](GlobalIndex i, int) { return i == 0 ? 1.0 : 0.0; });
  auto x = a.make_vector("vectors");
  EXPECT_EQ(minres.solve(r, x, {1e-12, 10}, {}).reason, Reason::not_positive_definite);

  const auto singular = matrix_of(test::dense({{1, 0}, {0, 0}}));
  const MatrixOperator<double> s(singular);
  Identity<double> identity;
  Minres<double> other(s, identity);
  auto b = vector_of(*singular, [](GlobalIndex, int) { return 1.0; });
  auto y = s.make_vector("vectors");
  const KrylovOutcome outcome = other.solve(b, y, {1e-12, 10}, {});
  EXPECT_EQ(outcome.reason, Reason::breakdown);
  for (double value : test::gather(y)) EXPECT_TRUE(std::isfinite(value));
}

TEST_P(KrylovTest, BicgstabEndsAfterAsManyStepsAsThereAreEigenvalues) {
  const auto matrix = matrix_of(diagonal(20));
  const MatrixOperator<double> a(matrix);
  Identity<double> identity;
  Bicgstab<double> bicgstab(a, identity);
  auto r = vector_of(*matrix, [](GlobalIndex i, int) { return 1 + 0.1 * static_cast<double>(i); });
  auto x = a.make_vector("vectors");
  const KrylovOutcome outcome = bicgstab.solve(r, x, {1e-11, 100}, {});
  EXPECT_EQ(outcome.reason, Reason::converged);
  EXPECT_LE(outcome.iterations, 4);
}

TEST_P(KrylovTest, BicgstabNamesItsBreakdownsAndKeepsFiniteValues) {
  Identity<double> identity;
  struct {
    std::vector<std::vector<double>> a;
    std::vector<double> x;
  } const cases[] = {{{{0, 1}, {-1, 0}}, {0, 0}},   // A r0 is normal to r0
                     {{{1, 1}, {-1, 0}}, {1, 0}}};  // r = e_1 after the half step, A e_1 = e_0
  for (const auto& [entries, expected] : cases) {
    const auto matrix = matrix_of(test::dense(entries));
    const MatrixOperator<double> a(matrix);
    Bicgstab<double> bicgstab(a, identity);
    auto r = vector_of(*matrix, [](GlobalIndex i, int) { return i == 0 ? 1.0 : 0.0; });
    auto x = a.make_vector("vectors");
    const KrylovOutcome outcome = bicgstab.solve(r, x, {1e-12, 100}, {});
    EXPECT_EQ(outcome.reason, Reason::breakdown);
    EXPECT_EQ(outcome.iterations, 1);
    EXPECT_EQ(outcome.relative_residual, 1);
    EXPECT_EQ(test::gather(x), expected);
  }
}

TEST_P(KrylovTest, BlockJacobiInvertsDiagonalBlocks) {
  const Model model = test::laplacian_2d(4, 2, {2, 1, 1, 3});
  const auto matrix = matrix_of(model);
  BlockJacobi<double> jacobi(*matrix);
  // D = 4 [2 1; 1 3], so that D (1, -1) = (4, -8).
  const auto r = vector_of(*matrix, [](GlobalIndex, int c) { return c == 0 ? 4.0 : -8.0; });
  auto z = vector_of(*matrix, [](GlobalIndex, int) { return 0.0; });
  jacobi.apply(r, 1, z);
  const std::vector<double> got = test::gather(z);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], i % 2 == 0 ? 1 : -1, 1e-15);
}

TEST_P(KrylovTest, BlockJacobiTakesTheDiagonalOfABlockWithoutInverse) {
  const Model model = {3, 2, [](GlobalIndex node) {
                         test::Row row;
                         if (node == 0) row[0] = {4, 4, 4, 4};  // singular
                         if (node == 1) row[1] = {0, 0, 0, 5};  // a zero on the diagonal
                         if (node == 2) row[0] = {1, 0, 0, 1};  // no diagonal block
                         return row;
                       }};
  const auto matrix = matrix_of(model);
  BlockJacobi<double> jacobi(*matrix);
  const auto r = vector_of(*matrix, [](GlobalIndex, int) { return 20.0; });
  auto z = vector_of(*matrix, [](GlobalIndex, int) { return 0.0; });
  jacobi.apply(r, 1, z);
  EXPECT_EQ(test::gather(z), (std::vector<double>{5, 5, 20, 4, 20, 20}));
}

TEST_P(KrylovTest, ChebyshevLeavesTheResidualPolynomialOfTheFourthKind) {
  constexpr GlobalIndex n = 40;
  const auto matrix = matrix_of(test::laplacian_1d(n));
  const MatrixOperator<double> a(matrix);
  for (int degree : {1, 2, 4, 7}) {
    Chebyshev<double> m(a, std::make_unique<BlockJacobi<double>>(*matrix), degree);
    for (int k : {1, 20, 40}) {
      const double half = std::sin(std::numbers::pi * k / 82);
      const double mu = 2 * half * half;  // 1 - cos(k pi / 41), of D^-1 A
      // v - M^-1 A v = p(mu) v with p(mu) = sin((d + 1/2) t) / ((2 d + 1) sin(t / 2)),
      // cos t = 1 - 2 mu / lambda_max [Lottes 2023].
      const double t = 2 * std::asin(std::sqrt(mu / m.lambda_max()));
      const double p = std::sin((degree + 0.5) * t) / ((2 * degree + 1) * std::sin(t / 2));
      const auto av =
          vector_of(*matrix, [&](GlobalIndex i, int) { return 2 * mu * mode(i, k, n); });
      auto z = a.make_vector("vectors");
      m.apply(av, 1, z);
      const std::vector<double> got = test::gather(z);
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], (1 - p) * mode(static_cast<GlobalIndex>(i), k, n), 1e-13);
    }
  }
}

TEST_P(KrylovTest, ChebyshevBoundsTheLargestEigenvalueOnAnyRanks) {
  constexpr GlobalIndex n = 200;
  const auto matrix = matrix_of(test::laplacian_1d(n));
  const MatrixOperator<double> a(matrix);
  const Chebyshev<double> m(a, std::make_unique<BlockJacobi<double>>(*matrix), 4);
  const double lambda = 1 + std::cos(std::numbers::pi / (n + 1));
  EXPECT_GE(m.lambda_max(), lambda);
  EXPECT_LE(m.lambda_max(), 1.1 * lambda);
  const auto alone =
      test::make_matrix<double>(device(), Comm(MPI_COMM_SELF), test::laplacian_1d(n));
  const MatrixOperator<double> b(alone);
  const Chebyshev<double> other(b, std::make_unique<BlockJacobi<double>>(*alone), 4);
  EXPECT_NEAR(m.lambda_max(), other.lambda_max(), 1e-10);
}

TEST_P(KrylovTest, AFloatPreconditionerKeepsResidualsBelowTheRangeOfFloat) {
  const auto matrix = matrix_of(test::laplacian_1d(10));
  const MatrixOperator<double> a(matrix);
  FloatPreconditioner m(std::make_unique<BlockJacobi<float>>(*matrix), a);
  const auto r = vector_of(*matrix, [](GlobalIndex, int) { return 1e-60; });
  auto z = a.make_vector("vectors");
  m.apply(r, norm(r), z);
  for (double value : test::gather(z)) EXPECT_NEAR(value, 0.5e-60, 1e-66);
}

TEST_P(KrylovTest, AFloatPreconditionerFormsItsProductsOnTheWay) {
  const auto matrix = matrix_of(test::laplacian_2d(80));
  const MatrixOperator<double> a(matrix);
  FloatPreconditioner m(std::make_unique<BlockJacobi<float>>(*matrix), a);
  const auto r = vector_of(*matrix, [](GlobalIndex i, int) { return mode(i, 7, 6400); });
  const auto q = vector_of(*matrix, [](GlobalIndex i, int) { return mode(i, 5, 6400) + 0.1; });
  auto fused = a.make_vector("vectors");
  auto plain = a.make_vector("vectors");
  const auto products = m.apply_and_dot(r, norm(r), q, fused);
  m.apply(r, norm(r), plain);
  EXPECT_EQ(test::gather(fused), test::gather(plain));
  EXPECT_EQ(products[0], dot(plain, r));
  EXPECT_EQ(products[1], dot(plain, q));
}

TEST_P(KrylovTest, MemoryIsAccountedByItem) {
  const gpu::Device on = device();
  const auto matrix = test::make_matrix<double>(on, test::world(), test::laplacian_1d(100));
  const MatrixOperator<double> a(matrix);
  Identity<double> identity;
  const Cg<double> cg(a, identity, false);
  const BlockJacobi<double> jacobi(*matrix);
  const auto n = static_cast<std::size_t>(matrix->pattern().map->n_local());
  const auto& items = on.account().items();
  EXPECT_EQ(items.at("krylov vectors").bytes, 3 * n * sizeof(double));
  EXPECT_EQ(items.at("preconditioner").bytes,
            static_cast<std::size_t>(matrix->pattern().map->n_owned()) * sizeof(double));
  EXPECT_GE(items.at("matrix").bytes, static_cast<std::size_t>(matrix->pattern().n_entries()) *
                                          (sizeof(double) + sizeof(Index)));
}

}  // namespace
}  // namespace trestle::solver
