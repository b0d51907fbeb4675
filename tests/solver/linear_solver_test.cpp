// Every method against closed-form solutions of small models, on every device.
#include "solver/linear_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/true_residual.hpp"
#include "tests/solver/solving.hpp"

namespace trestle::solver {
namespace {

using test::all_in_double;
using test::all_options;
using test::Model;
using test::name_of;
using test::options_for;
using test::solve;
using test::Solved;

/// How far two computations of the true residual of `result` may differ: a few units of rounding of
/// || |A||x| + |b| || / ||b||.
double residual_rounding(const SolveResult& result) {
  return 8 * std::numeric_limits<double>::epsilon() * result.true_relative_residual /
         result.backward_error;
}

/// Coupling of three unknowns of a node, positive definite.
const std::vector<double> coupling = {2, 1, 0.5, 1, 3, 0.25, 0.5, 0.25, 1.5};

/// u_ij = i (n + 1 - i) j (n + 1 - j) times (1, -2, 0.5), whose second differences are exact.
std::vector<double> bubble(GlobalIndex n) {
  std::vector<double> u;
  for (GlobalIndex j = 1; j <= n; ++j)
    for (GlobalIndex i = 1; i <= n; ++i)
      for (double factor : {1.0, -2.0, 0.5})
        u.push_back(factor * static_cast<double>(i * (n + 1 - i) * j * (n + 1 - j)));
  return u;
}

double largest(const std::vector<double>& x) {
  return test::largest_difference(x, std::vector<double>(x.size(), 0.0));
}

class LinearSolverTest : public test::OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(LinearSolverTest);

TEST_P(LinearSolverTest, EveryMethodFindsTheClosedFormOfABlockLaplacian) {
  constexpr GlobalIndex n = 8;
  const Model model = test::laplacian_2d(n, 3, coupling);
  const std::vector<double> exact = bubble(n);
  const std::vector<double> b = test::multiply(model, exact);
  for (const SolverOptions& options : all_in_double()) {
    SCOPED_TRACE(name_of(options));
    const Solved solved = solve(device(), model, options, b);
    EXPECT_TRUE(solved.result.converged) << solved.result.message;
    EXPECT_EQ(solved.result.reason, Reason::converged);
    // Error <= condition (about 4 (n + 1)^2 / pi^2 times that of the coupling, 5) x residual.
    EXPECT_LE(test::largest_difference(solved.x, exact), 400 * 1e-10 * largest(exact) * n);
    EXPECT_LE(test::relative_residual(model, solved.x, b), 1e-10);
    EXPECT_NEAR(solved.result.true_relative_residual, test::relative_residual(model, solved.x, b),
                residual_rounding(solved.result));
    EXPECT_EQ(solved.result.precision, "double");
  }
}

TEST_P(LinearSolverTest, MixedPrecisionReachesTheToleranceOfDouble) {
  constexpr GlobalIndex n = 8;
  const Model model = test::laplacian_2d(n, 3, coupling);
  const std::vector<double> exact = bubble(n);
  const std::vector<double> b = test::multiply(model, exact);
  for (Method method :
       {Method::cg, Method::minres, Method::gmres, Method::bicgstab, Method::automatic})
    for (Preconditioner m :
         {Preconditioner::automatic, Preconditioner::jacobi, Preconditioner::chebyshev}) {
      const SolverOptions options = options_for(method, m, Precision::mixed);
      SCOPED_TRACE(name_of(options));
      const Solved solved = solve(device(), model, options, b);
      EXPECT_TRUE(solved.result.converged) << solved.result.message;
      EXPECT_EQ(solved.result.precision, "mixed") << solved.result.choice;
      EXPECT_LE(test::relative_residual(model, solved.x, b), 1e-10);
    }
}

TEST_P(LinearSolverTest, SinglePrecisionReachesATrueResidualOfDouble) {
  const Model model = test::laplacian_1d(400);  // condition 6.5e4
  std::vector<double> exact;
  for (int i = 1; i <= 400; ++i) exact.push_back(0.5 * i * (401 - i));
  const std::vector<double> b(400, 1.0);
  for (Preconditioner m : {Preconditioner::jacobi, Preconditioner::chebyshev}) {
    const Solved solved =
        solve(device(), model, options_for(Method::cg, m, Precision::single, 1e-5), b);
    EXPECT_TRUE(solved.result.converged) << solved.result.message;
    EXPECT_EQ(solved.result.precision, "single");
    EXPECT_EQ(solved.result.reason, Reason::converged);
    EXPECT_LE(test::relative_residual(model, solved.x, b), 1e-5);
    EXPECT_LE(test::largest_difference(solved.x, exact), 0.05 * largest(exact));
  }
}

TEST_P(LinearSolverTest, SinglePrecisionSolvesTheSystemThatItsMatrixWasRoundedFrom) {
  constexpr GlobalIndex n = 40;  // rounding its entries alone moves the solution by some 1e-3
  const Model model =
      test::spring_chain(n, [](GlobalIndex k) { return (k < n / 2 ? 1.0 : 300.0) / 3; });
  std::vector<double> exact;
  for (GlobalIndex i = 0; i < n; ++i) exact.push_back(std::sin(static_cast<double>(i)));
  const std::vector<double> b = test::multiply(model, exact);
  const auto of = [](const std::vector<double>& values) {
    return [&values](GlobalIndex node, int) { return values[static_cast<std::size_t>(node)]; };
  };
  const auto matrix = test::make_matrix<double>(device(), test::world(), model);
  const std::shared_ptr<const IndexMap>& map = matrix->pattern().map;
  const TrueResidual<double> residual(matrix);
  const Vector<double> right = test::make_vector(device(), map, 1, of(b));
  const auto rounded = std::make_shared<const BlockMatrix<float>>(*matrix);
  for (const Method method : {Method::cg, Method::gmres}) {
    LinearSolver<float> solver(options_for(method, Preconditioner::jacobi, Precision::single, 1e-5),
                               rounded, {});
    Vector<double> x = test::make_vector(device(), map, 1, [](GlobalIndex, int) { return 0.0; });
    const SolveResult result =
        solver.solve_to(1e-9, right, x, {},
                        [&](const Vector<double>& rhs, Vector<double>& guess, Vector<double>& r) {
                          residual.compute(rhs, guess, r);
                        });
    EXPECT_TRUE(result.converged) << result.message;
    EXPECT_LE(test::relative_residual(model, test::gather(x), b), 1e-9);
    EXPECT_LE(test::largest_difference(test::gather(x), exact), 1e-4);  // condition 1e5
  }
}

TEST_P(LinearSolverTest, TheClosedFormOfTheLineIsFoundWithFewerNodesThanRanksToo) {
  for (GlobalIndex n : {GlobalIndex{1}, GlobalIndex{3}, GlobalIndex{50}}) {
    const std::vector<double> b(static_cast<std::size_t>(n), 1.0);
    std::vector<double> exact;
    for (GlobalIndex i = 1; i <= n; ++i)
      exact.push_back(0.5 * static_cast<double>(i) * static_cast<double>(n + 1 - i));
    for (const SolverOptions& options : all_in_double()) {
      SCOPED_TRACE(name_of(options) + " n " + std::to_string(n));
      const Solved solved = solve(device(), test::laplacian_1d(n), options, b);
      EXPECT_TRUE(solved.result.converged) << solved.result.message;
      EXPECT_LE(test::largest_difference(solved.x, exact), 1e-7 * largest(exact));
    }
  }
}

TEST_P(LinearSolverTest, AZeroRightSideGivesZeroWithoutIterations) {
  const Model model = test::laplacian_2d(5, 3, coupling);
  const std::vector<double> zero(75, 0.0);
  for (const SolverOptions& options : all_options())
    for (double guess : {0.0, 7.0}) {
      SCOPED_TRACE(name_of(options));
      const Solved solved = solve(device(), model, options, zero, std::vector<double>(75, guess));
      EXPECT_EQ(solved.result.reason, Reason::zero_right_side);
      EXPECT_TRUE(solved.result.converged);
      EXPECT_EQ(solved.result.iterations, 0);
      EXPECT_EQ(solved.result.true_relative_residual, 0);
      EXPECT_EQ(solved.x, zero);
    }
}

TEST_P(LinearSolverTest, AnInitialGuessThatSolvesIsKept) {
  const Model model = test::laplacian_2d(8, 3, coupling);
  const std::vector<double> exact = bubble(8);  // integers and halves: exact in float too
  const std::vector<double> b = test::multiply(model, exact);
  for (const SolverOptions& options : all_options()) {
    SCOPED_TRACE(name_of(options));
    const Solved solved = solve(device(), model, options, b, exact);
    EXPECT_EQ(solved.result.reason, Reason::converged);
    EXPECT_TRUE(solved.result.converged);
    EXPECT_EQ(solved.result.iterations, 0);
    EXPECT_EQ(solved.x, exact);
  }
}

TEST_P(LinearSolverTest, TinyAndHugeRightSidesAreSolvedToo) {
  const Model model = test::laplacian_1d(20);
  for (double size : {1e-300, 1e300}) {
    std::vector<double> exact;
    for (int i = 1; i <= 20; ++i) exact.push_back(size * (0.5 * i * (21 - i)));
    for (const SolverOptions& options : all_in_double()) {
      SCOPED_TRACE(name_of(options) + ", size " + std::to_string(std::log10(size)));
      const Solved solved = solve(device(), model, options, std::vector<double>(20, size));
      EXPECT_TRUE(solved.result.converged) << solved.result.message;
      EXPECT_LE(test::largest_difference(solved.x, exact), 1e-7 * 50 * size);
    }
  }
}

TEST_P(LinearSolverTest, TheIterationLimitIsNoSuccess) {
  const Model model = test::laplacian_2d(20, 3, coupling);
  // Large enough that multigrid needs more than two cycles.
  const std::vector<double> b = test::multiply(model, bubble(20));
  for (SolverOptions options : all_options()) {
    if (options.method == Method::direct || options.method == Method::automatic) continue;
    SCOPED_TRACE(name_of(options));
    options.max_iterations = 2;
    options.petsc_options = options.method == Method::petsc
                                ? std::vector<std::string>{"-pc_type", "jacobi"}
                                : std::vector<std::string>{};
    const Solved solved = solve(device(), model, options, b);
    EXPECT_FALSE(solved.result.converged);
    EXPECT_EQ(solved.result.reason, Reason::max_iterations) << to_string(solved.result.reason);
    EXPECT_GT(solved.result.true_relative_residual, options.tolerance);
    EXPECT_NEAR(solved.result.true_relative_residual, test::relative_residual(model, solved.x, b),
                residual_rounding(solved.result));
    EXPECT_NE(solved.result.message.find("max_iterations"), std::string::npos);
  }
}

TEST_P(LinearSolverTest, AnIndefiniteMatrixIsNamedByCgAndSolvedByTheOthers) {
  const Model swap = test::dense({{0, 1}, {1, 0}});
  for (Preconditioner m :
       {Preconditioner::none, Preconditioner::jacobi, Preconditioner::chebyshev}) {
    const Solved solved = solve(device(), swap, options_for(Method::cg, m), {1, -1});
    EXPECT_EQ(solved.result.reason, Reason::not_positive_definite);
    EXPECT_FALSE(solved.result.converged);
    EXPECT_NE(solved.result.message.find("the matrix is not positive definite"), std::string::npos);
    EXPECT_EQ(
        solved.result.message.find("rounding has made its preconditioner so") == std::string::npos,
        m == Preconditioner::none)
        << solved.result.message;
  }
  for (const SolverOptions& options :
       {options_for(Method::minres), options_for(Method::gmres), options_for(Method::direct),
        options_for(Method::automatic),
        options_for(Method::automatic, Preconditioner::automatic, Precision::mixed)}) {
    SCOPED_TRACE(name_of(options));
    const Solved solved = solve(device(), swap, options, {1, -1});
    EXPECT_TRUE(solved.result.converged) << solved.result.message;
    EXPECT_LE(test::largest_difference(solved.x, {-1, 1}), 1e-9);
  }
}

/// tridiag(-1, 1, -1) with 20 rows: eigenvalues 1 - 2 cos(k pi / 21): six are negative,
/// that of k = 7 is zero.
Model shifted_laplacian() {
  std::vector<std::vector<double>> a(20, std::vector<double>(20, 0.0));
  for (std::size_t i = 0; i < 20; ++i) {
    a[i][i] = 1;
    if (i > 0) a[i][i - 1] = a[i - 1][i] = -1;
  }
  return test::dense(a);
}

TEST_P(LinearSolverTest, AShiftedLaplacianIsNeverSolvedWrongly) {
  const Model model = shifted_laplacian();
  std::vector<double> exact;
  for (int i = 1; i <= 20; ++i) exact.push_back(i / 20.0);
  const std::vector<double> b = test::multiply(model, exact);
  for (const SolverOptions& options : all_options()) {
    SCOPED_TRACE(name_of(options));
    const Solved solved = solve(device(), model, options, b);
    if (options.method == Method::automatic && options.precision != Precision::single) {
      EXPECT_TRUE(solved.result.converged) << solved.result.message;
    }
    if (options.method == Method::cg) {
      EXPECT_EQ(solved.result.reason, Reason::not_positive_definite)
          << to_string(solved.result.reason);
    }
    if (solved.result.reason == Reason::converged) {
      EXPECT_LE(test::relative_residual(model, solved.x, b), options.tolerance);
    }
    for (double value : solved.x) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST_P(LinearSolverTest, ASingularSystemEndsWithFiniteValues) {
  const Model model = test::dense({{1, 0}, {0, 0}});
  for (const SolverOptions& options : all_options()) {
    if (options.method == Method::petsc) continue;
    SCOPED_TRACE(name_of(options));
    const Solved consistent = solve(device(), model, options, {1, 0});
    EXPECT_TRUE(consistent.result.converged) << consistent.result.message;
    EXPECT_NEAR(consistent.x[0], 1, 1e-5);
    EXPECT_TRUE(std::isfinite(consistent.x[1]));
    const Solved inconsistent = solve(device(), model, options, {1, 1});
    EXPECT_FALSE(inconsistent.result.converged);
    EXPECT_FALSE(inconsistent.result.message.empty());
    for (double value : inconsistent.x) EXPECT_TRUE(std::isfinite(value));
    if (options.method == Method::direct) {
      EXPECT_EQ(inconsistent.result.reason, Reason::singular);
      EXPECT_NE(inconsistent.result.message.find("1 zero pivot"), std::string::npos)
          << inconsistent.result.message;
    }
  }
}

TEST_P(LinearSolverTest, MultigridRefusesAZeroOnTheDiagonalOnAllRanks) {
  const Model model = test::dense({{1, 0}, {0, 0}});
  try {
    static_cast<void>(solve(device(), model, options_for(Method::petsc), {1, 1}));
    ADD_FAILURE() << "a zero on the diagonal was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::diverged);
    EXPECT_NE(std::string(error.what()).find("row 1"), std::string::npos) << error.what();
  }
}

TEST_P(LinearSolverTest, AFloatingPlateIsSingularWithThreeZeroPivots) {
  const Model model = test::elastic_plate(6, 4, false);
  std::vector<double> balanced(70, 0.0);  // pulled apart at the ends of its axis
  balanced[2 * 14] = -1;
  balanced[2 * 20] = 1;
  const Solved solved = solve(device(), model, options_for(Method::direct), balanced);
  EXPECT_TRUE(solved.result.converged) << solved.result.message;
  EXPECT_NE(solved.result.message.find("3 zero pivots"), std::string::npos)
      << solved.result.message;
  std::vector<double> pulled(70, 0.0);
  pulled[0] = 1;
  const Solved failed = solve(device(), model, options_for(Method::direct), pulled);
  EXPECT_EQ(failed.result.reason, Reason::singular);
  EXPECT_FALSE(failed.result.converged);
  for (double value : failed.x) EXPECT_TRUE(std::isfinite(value));
  for (SolverOptions options : all_options()) {
    SCOPED_TRACE(name_of(options));
    options.max_iterations = 30;
    const Solved other = solve(device(), model, options, pulled);
    EXPECT_FALSE(other.result.converged);
    for (double value : other.x) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST_P(LinearSolverTest, AChainOfSoftAndStiffSpringsIsSolvedOrRefusedByItsTrueResidual) {
  const Model model = test::spring_chain(60, [](GlobalIndex k) { return k % 2 == 0 ? 1e8 : 1.0; });
  std::vector<double> exact;
  for (int i = 1; i <= 60; ++i) exact.push_back(std::sin(i));
  const std::vector<double> b = test::multiply(model, exact);
  for (const SolverOptions& options : all_options()) {
    SCOPED_TRACE(name_of(options));
    const Solved solved = solve(device(), model, options, b);
    const double residual = test::relative_residual(model, solved.x, b);
    EXPECT_LE(solved.result.iterations, 3 * options.max_iterations);
    // In float the matrix is another one: 1e8 + 1 rounds to 1e8.
    if (options.precision != Precision::single) {
      EXPECT_NEAR(solved.result.true_relative_residual, residual, residual_rounding(solved.result));
    }
    if (solved.result.reason == Reason::converged) {
      EXPECT_LE(residual, options.tolerance);
    }
    if (options.method == Method::automatic && options.precision != Precision::single) {
      EXPECT_TRUE(solved.result.converged) << solved.result.message;
    }
    if (!solved.result.converged) {
      EXPECT_FALSE(solved.result.message.empty());
    }
  }
}

TEST_P(LinearSolverTest, AValueThatIsNotANumberIsNeverASolution) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Model model = test::laplacian_1d(30);
  for (const SolverOptions& options : all_options())
    for (double bad : {nan, infinity}) {
      SCOPED_TRACE(name_of(options));
      std::vector<double> b(30, 1.0), guess(30, 0.0);
      b[29] = bad;  // on the last rank only
      const Solved right_side = solve(device(), model, options, b);
      EXPECT_EQ(right_side.result.reason, Reason::not_a_number);
      EXPECT_FALSE(right_side.result.converged);
      guess[0] = bad;
      const Solved start = solve(device(), model, options, std::vector<double>(30, 1.0), guess);
      EXPECT_EQ(start.result.reason, Reason::not_a_number);
      EXPECT_FALSE(start.result.converged);
      const Model broken =
          test::spring_chain(30, [bad](GlobalIndex k) { return k == 20 ? bad : 1.0; });
      try {
        static_cast<void>(solve(device(), broken, options, std::vector<double>(30, 1.0)));
        ADD_FAILURE() << "a matrix that is not finite was taken";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::not_a_number);
        EXPECT_NE(std::string(error.what()).find("node 19"), std::string::npos) << error.what();
      }
    }
}

TEST_P(LinearSolverTest, TheTrueResidualHoldsAcrossLayersOfContrastAMillion) {
  const Model model = test::spring_chain(60, [](GlobalIndex k) { return k < 30 ? 1.0 : 1e6; });
  const std::vector<double> b(60, 1.0);
  for (const SolverOptions& options : all_in_double()) {
    SCOPED_TRACE(name_of(options));
    const Solved solved = solve(device(), model, options, b);
    const double residual = test::relative_residual(model, solved.x, b);
    EXPECT_NEAR(solved.result.true_relative_residual, residual, residual_rounding(solved.result));
    EXPECT_EQ(solved.result.converged, residual <= 1e-10);
    if (options.preconditioner != Preconditioner::none) {
      EXPECT_TRUE(solved.result.converged) << solved.result.message;
    }
  }
}

TEST_P(LinearSolverTest, TheSameRanksGiveTheSameBits) {
  const Model model = test::laplacian_2d(8, 3, coupling);
  const std::vector<double> b = test::multiply(model, bubble(8));
  for (const SolverOptions& options : all_options()) {
    SCOPED_TRACE(name_of(options));
    const Solved first = solve(device(), model, options, b);
    const Solved second = solve(device(), model, options, b);
    EXPECT_EQ(first.x, second.x);
    EXPECT_EQ(first.result.history, second.result.history);
  }
}

TEST_P(LinearSolverTest, OtherRanksAgreeToOnePartInTenBillion) {
  const Model model = test::laplacian_2d(8, 3, coupling);
  const std::vector<double> b = test::multiply(model, bubble(8));
  const Comm alone(MPI_COMM_SELF);
  for (SolverOptions options : all_in_double()) {
    SCOPED_TRACE(name_of(options));
    options.tolerance = 1e-12;
    const Solved here = solve(device(), model, options, b);
    const Solved there = solve(device(), model, options, b, {}, {}, alone);
    EXPECT_TRUE(here.result.converged && there.result.converged);
    EXPECT_LE(test::largest_difference(here.x, there.x), 1e-10 * largest(there.x));
    // GAMG aggregates within ranks, so that its iterations are another method's on other ranks.
    if (options.method == Method::cg || options.method == Method::gmres) {
      EXPECT_NEAR(here.result.iterations, there.result.iterations,
                  0.1 * there.result.iterations + 1);
    }
  }
}

TEST_P(LinearSolverTest, AnUnsymmetricMatrixIsSolvedByGmresBicgstabAndDirect) {
  constexpr std::size_t n = 40;  // upwind convection, cell Peclet number 3
  std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    a[i][i] = 5;
    if (i > 0) a[i][i - 1] = -4;
    if (i + 1 < n) a[i][i + 1] = -1;
  }
  const Model model = test::dense(a);
  std::vector<double> exact;
  for (std::size_t i = 0; i < n; ++i) exact.push_back(1 + 0.1 * static_cast<double>(i));
  const std::vector<double> b = test::multiply(model, exact);
  MatrixTraits traits;
  traits.symmetric = false;
  for (Method method :
       {Method::gmres, Method::bicgstab, Method::petsc, Method::direct, Method::automatic}) {
    const SolverOptions options = options_for(method);
    SCOPED_TRACE(name_of(options));
    const Solved solved = solve(device(), model, options, b, {}, traits);
    EXPECT_TRUE(solved.result.converged) << solved.result.message;
    EXPECT_LE(test::largest_difference(solved.x, exact), 1e-8);
    EXPECT_EQ(solved.result.history.empty(), false);
  }
}

/// Upwind convection-diffusion on n x n points, its cell Peclet numbers along the lines and across.
Model convection_diffusion(GlobalIndex n, double along = 4, double across = 1) {
  return {n * n, 1, [=](GlobalIndex node) {
            const GlobalIndex i = node % n, j = node / n;
            test::Row row;
            row[node] = {4 + along + across};
            if (i > 0) row[node - 1] = {-1 - along};
            if (i + 1 < n) row[node + 1] = {-1};
            if (j > 0) row[node - n] = {-1 - across};
            if (j + 1 < n) row[node + n] = {-1};
            return row;
          }};
}

TEST(LinearSolverStreamTest, AStreamThatMultigridDoesNotFollowIsSolvedByIncompleteFactors) {
  constexpr GlobalIndex n = 150;  // too many unknowns in space for `direct`
  const Model model = convection_diffusion(n, 1000, 500);
  MatrixTraits traits;
  traits.symmetric = false;
  traits.dim = 3;
  const std::vector<double> b(n * n, 1.0);
  const Solved solved =
      solve(gpu::make_cpu_device(), model, options_for(Method::automatic), b, {}, traits);
  EXPECT_TRUE(solved.result.converged) << solved.result.message;
  EXPECT_NE(solved.result.choice.find("too_slow"), std::string::npos) << solved.result.choice;
  EXPECT_NE(solved.result.choice.find("then petsc with ilu"), std::string::npos)
      << solved.result.choice;
  EXPECT_EQ(solved.result.preconditioner, "bjacobi");
  EXPECT_LE(test::relative_residual(model, solved.x, b), 1e-10);
}

TEST_P(LinearSolverTest, BicgstabAgreesWithDirectOnConvectionAndDiffusion) {
  const Model model = convection_diffusion(12);
  std::vector<double> b;
  for (int i = 0; i < 144; ++i) b.push_back(std::cos(i));
  MatrixTraits traits;
  traits.symmetric = false;
  const Solved direct = solve(device(), model, options_for(Method::direct), b, {}, traits);
  for (Precision precision : {Precision::double_, Precision::mixed})
    for (Preconditioner m : {Preconditioner::none, Preconditioner::jacobi}) {
      const SolverOptions options = options_for(Method::bicgstab, m, precision);
      SCOPED_TRACE(name_of(options));
      const Solved solved = solve(device(), model, options, b, {}, traits);
      EXPECT_TRUE(solved.result.converged) << solved.result.message;
      EXPECT_EQ(solved.result.method, "bicgstab");
      EXPECT_LE(test::relative_residual(model, solved.x, b), 1e-10);
      // w_ij = i + 1 has A w >= 4 (up to 12), so that |A^-1 r| <= 3 max |r| [M-matrices]; ||b||
      // <= 12.
      EXPECT_LE(test::largest_difference(solved.x, direct.x), 2 * 3 * 12 * 1e-10);
    }
}

/// Heat in layers of four lines each, conductivities 1 and 1e6 in turn, 0 on all sides; between
/// lines the harmonic mean.
Model layered(GlobalIndex n) {
  return {n * n, 1, [=](GlobalIndex node) {
            const auto conductivity = [](GlobalIndex line) {
              return line / 4 % 2 == 0 ? 1.0 : 1e6;
            };
            const GlobalIndex i = node % n, j = node / n;
            const double k = conductivity(j);
            const auto across = [&](GlobalIndex other) {
              return 2 / (1 / k + 1 / conductivity(other));
            };
            const double below = j > 0 ? across(j - 1) : k;
            const double above = j + 1 < n ? across(j + 1) : k;
            test::Row row;
            row[node] = {2 * k + below + above};
            if (i > 0) row[node - 1] = {-k};
            if (i + 1 < n) row[node + 1] = {-k};
            if (j > 0) row[node - n] = {-below};
            if (j + 1 < n) row[node + n] = {-above};
            return row;
          }};
}

TEST_P(LinearSolverTest, MixedPrecisionReachesATrueResidualOf1em10AcrossLayersOfContrastAMillion) {
  const Model model = layered(24);
  const std::vector<double> b(576, 1.0);
  for (Method method : {Method::cg, Method::minres, Method::automatic})
    for (Preconditioner m :
         {Preconditioner::jacobi, Preconditioner::chebyshev, Preconditioner::amg}) {
      const SolverOptions options = options_for(method, m, Precision::mixed);
      SCOPED_TRACE(name_of(options));
      const Solved solved = solve(device(), model, options, b);
      EXPECT_TRUE(solved.result.converged) << solved.result.message;
      EXPECT_EQ(solved.result.reason, Reason::converged);
      EXPECT_EQ(solved.result.precision, "mixed") << solved.result.choice;
      EXPECT_LE(test::relative_residual(model, solved.x, b), 1e-10);
    }
}

TEST_P(LinearSolverTest, APreconditionerThatRoundingSpoilsReturnsToDoubleAndSaysWhy) {
  // The inverse of a block has the eigenvalues 1/2 and 1/e: in float its entries are rounded by
  // 6e-8 / e, as much as the smaller eigenvalue or more.
  struct {
    Method method;
    double e;
    std::string said;
  } const cases[] = {
      {Method::minres, 1e-7, "minres with block Jacobi in mixed failed (stagnated after"},
      {Method::cg, 1e-8, "cg with block Jacobi in mixed failed (not_positive_definite after"},
      {Method::automatic, 1e-8,
       "cg with block Jacobi in mixed failed (not_positive_definite after"}};
  for (const auto& [method, e, said] : cases) {
    const Model model = test::laplacian_2d(12, 2, {1, 1 - e, 1 - e, 1});
    std::vector<double> exact;
    for (int i = 0; i < 288; ++i) exact.push_back(std::sin(i * i));
    const std::vector<double> b = test::multiply(model, exact);
    const SolverOptions options = options_for(method, Preconditioner::jacobi, Precision::mixed);
    SCOPED_TRACE(name_of(options));
    const Solved solved = solve(device(), model, options, b);
    EXPECT_TRUE(solved.result.converged) << solved.result.message;
    EXPECT_EQ(solved.result.precision, "double");
    EXPECT_EQ(solved.result.method, method == Method::minres ? "minres" : "cg");
    EXPECT_NE(solved.result.choice.find(said), std::string::npos) << solved.result.choice;
    EXPECT_NE(solved.result.choice.find("with block Jacobi in double"), std::string::npos)
        << solved.result.choice;
    EXPECT_LE(test::relative_residual(model, solved.x, b), 1e-10);
  }
}

TEST_P(LinearSolverTest, SeveralRightSidesShareOneSetUp) {
  const Model model = test::laplacian_1d(25);
  const auto matrix = test::make_matrix<double>(device(), test::world(), model);
  LinearSolver<double> linear(options_for(Method::cg), matrix, {});
  for (int k = 1; k <= 3; ++k) {
    const auto map = matrix->pattern().map;
    const auto b = test::make_vector(device(), map, 1, [&](GlobalIndex, int) { return k; });
    auto x = test::make_vector(device(), map, 1, [](GlobalIndex, int) { return 0.0; });
    int called = 0;
    const SolveResult result = linear.solve(b, x, [&](int iteration, double) {
      ++called;
      EXPECT_EQ(iteration, called);
    });
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(called, result.iterations);
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(called));
    std::vector<double> exact;
    for (int i = 1; i <= 25; ++i) exact.push_back(0.5 * k * i * (26 - i));
    EXPECT_LE(test::largest_difference(test::gather(x), exact), 1e-6);
    // The ghosts of the solution are up to date.
    const auto values = gpu::read(x.values());
    for (Index i = 0; i < map->n_local(); ++i)
      EXPECT_NEAR(values[i],
                  exact[static_cast<std::size_t>(map->ids()[static_cast<std::size_t>(i)])], 1e-6);
  }
}

TEST_P(LinearSolverTest, TheSolverFollowsAMatrixWhoseValuesChange) {
  const Model model = test::laplacian_2d(30);
  const std::vector<double> b(900, 1.0);
  for (const SolverOptions& options : all_options()) {
    if (options.precision == Precision::single) continue;
    SCOPED_TRACE(name_of(options));
    const auto matrix = test::make_matrix<double>(device(), test::world(), model);
    const std::shared_ptr<const IndexMap>& map = matrix->pattern().map;
    LinearSolver<double> solver(options, matrix, {.updates = true});
    const auto solve_now = [&] {
      const auto right = test::make_vector(device(), map, 1, [](GlobalIndex, int) { return 1.0; });
      Vector<double> x = test::make_vector(device(), map, 1, [](GlobalIndex, int) { return 0.0; });
      const SolveResult result = solver.solve(right, x);
      EXPECT_TRUE(result.converged) << result.message;
      return test::gather(x);
    };
    const std::vector<double> before = solve_now();
    gpu::scale(device(), 4.0, matrix->values().view());
    device().synchronize();
    solver.update_matrix();
    std::vector<double> after = solve_now();
    for (double& value : after) value *= 4;
    // Both are within cond(A) times the tolerance; cond is about 4 (n + 1)^2 / pi^2.
    EXPECT_LE(test::largest_difference(after, before),
              2 * 4 * 31 * 31 / 9.87 * options.tolerance * largest(before));
  }
}

TEST_P(LinearSolverTest, AChangedMatrixThatIsNotFiniteIsRefused) {
  const auto matrix = test::make_matrix<double>(device(), test::world(), test::laplacian_2d(30));
  LinearSolver<double> solver(options_for(Method::cg, Preconditioner::amg), matrix,
                              {.updates = true});
  gpu::scale(device(), std::numeric_limits<double>::infinity(), matrix->values().view());
  device().synchronize();
  EXPECT_THROW(solver.update_matrix(), Error);
}

}  // namespace
}  // namespace trestle::solver
