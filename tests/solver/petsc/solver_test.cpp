// PETSc and MUMPS: options, near-null space, errors, layout of unknowns.
#include "solver/petsc/solver.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/near_null.hpp"
#include "solver/petsc/matrix.hpp"
#include "tests/solver/solving.hpp"

namespace trestle::solver {
namespace {

using test::Model;
using test::Solved;

gpu::Device cpu() { return gpu::make_cpu_device(); }

Solved solve_plate(GlobalIndex nx, GlobalIndex ny, std::vector<std::string> petsc_options,
                   bool near_null = true) {
  const Model model = test::elastic_plate(nx, ny, true);
  std::vector<double> b(static_cast<std::size_t>(model.n_nodes) * 2, 0.0);
  for (GlobalIndex j = 0; j <= ny; ++j)  // pulled down at its end
    b[static_cast<std::size_t>((nx + j * (nx + 1)) * 2 + 1)] = -1.0 / static_cast<double>(ny + 1);
  SolverOptions options = test::options_for(Method::petsc);
  options.petsc_options = std::move(petsc_options);
  MatrixTraits traits;
  traits.dim = 2;
  if (near_null) {
    const auto matrix = test::make_matrix<double>(cpu(), test::world(), model);
    const IndexMap& map = *matrix->pattern().map;
    traits.near_null = rigid_body_modes(map, 2, test::plate_coordinates(map, nx));
  }
  return test::solve(cpu(), model, options, b, {}, traits);
}

void expect_refused(const std::vector<std::string>& options, const std::string& name) {
  try {
    static_cast<void>(solve_plate(4, 2, options));
    ADD_FAILURE() << name << " was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::case_file) << error.what();
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
  }
}

TEST(PetscSolverTest, OptionsThatPetscDoesNotUseAreErrorsWithTheirNames) {
  expect_refused({"-pc_type", "jacobi", "-pc_gamg_treshold", "0.1"}, "-pc_gamg_treshold");
  expect_refused({"-ksp_typ", "cg"}, "-ksp_typ");
  expect_refused({"-pc_type", "jacobi", "-sub_pc_type", "ilu"}, "-sub_pc_type");
}

TEST(PetscSolverTest, OptionsThatPrintOrNameFilesAreRefused) {
  for (const char* name : {"-ksp_view", "-ksp_monitor", "-ksp_converged_reason", "-log_view",
                           "-options_file", "-info", "-mat_view"})
    expect_refused({name}, name);
  expect_refused({"jacobi"}, "jacobi");
}

TEST(PetscSolverTest, ATypeThatPetscDoesNotKnowIsAnErrorOfTheCase) {
  expect_refused({"-ksp_type", "conjugate"}, "conjugate");
  expect_refused({"-pc_type", "amgx9"}, "amgx9");
}

TEST(PetscSolverTest, AnErrorLeavesPetscUsable) {
  expect_refused({"-ksp_type", "conjugate"}, "conjugate");
  EXPECT_TRUE(solve_plate(6, 3, {}).result.converged);
}

TEST(PetscSolverTest, OptionsOfTheEnvironmentDoNotReachASolver) {
  ASSERT_EQ(PetscOptionsSetValue(nullptr, "-ksp_max_it", "1"), 0);
  const Solved solved = solve_plate(6, 3, {"-pc_type", "jacobi"});
  EXPECT_EQ(PetscOptionsClearValue(nullptr, "-ksp_max_it"), 0);
  EXPECT_TRUE(solved.result.converged) << solved.result.message;
  EXPECT_GT(solved.result.iterations, 1);
}

TEST(PetscSolverTest, ManyMethodsAgreeWithTheDirectOne) {
  const Solved direct = solve_plate(
      8, 3,
      {"-ksp_type", "preonly", "-pc_type", "cholesky", "-pc_factor_mat_solver_type", "mumps"});
  ASSERT_TRUE(direct.result.converged) << direct.result.message;
  const std::vector<std::vector<std::string>> choices = {
      {},
      {"-pc_type", "jacobi"},
      {"-pc_type", "bjacobi", "-sub_pc_type", "ilu"},
      {"-pc_type", "hypre", "-pc_hypre_type", "boomeramg"},
      {"-ksp_type", "gmres", "-pc_type", "asm"},
      {"-ksp_type", "bcgs", "-pc_type", "jacobi"},
      {"-ksp_type", "minres", "-pc_type", "jacobi"},
      {"-ksp_type", "richardson", "-pc_type", "lu", "-pc_factor_mat_solver_type", "mumps"}};
  for (const auto& choice : choices) {
    SCOPED_TRACE(choice.empty() ? "default" : choice.back());
    const Solved solved = solve_plate(8, 3, choice);
    EXPECT_TRUE(solved.result.converged) << solved.result.message;
    EXPECT_LE(solved.result.true_relative_residual, 1e-10);
    // Condition of the plate (some 1e5) times the residual.
    EXPECT_LE(test::largest_difference(solved.x, direct.x), 1e-4 * std::abs(direct.x[17]));
  }
}

TEST(PetscSolverTest, ALooseToleranceOfPetscIsMadeUpForByTheTrueResidual) {
  const Solved solved = solve_plate(8, 3, {"-ksp_rtol", "1e-2"});
  EXPECT_TRUE(solved.result.converged) << solved.result.message;
  EXPECT_LE(solved.result.true_relative_residual, 1e-10);
}

TEST(PetscSolverTest, MultigridGetsTheRigidBodyModes) {
  const Solved with = solve_plate(48, 6, {});
  const Solved without = solve_plate(48, 6, {}, false);
  EXPECT_EQ(with.result.near_null_vectors, 3);
  EXPECT_EQ(without.result.near_null_vectors, 0);
  EXPECT_EQ(with.result.preconditioner, "gamg");
  EXPECT_TRUE(with.result.converged) << with.result.message;
  EXPECT_LT(with.result.iterations, without.result.iterations);
  EXPECT_LE(test::largest_difference(with.x, without.x), 1e-6 * std::abs(with.x.back()));
}

TEST(PetscSolverTest, MultigridIterationsHardlyGrowWithTheMesh) {
  const int coarse = solve_plate(15, 3, {}).result.iterations;
  const int fine = solve_plate(60, 12, {}).result.iterations;
  EXPECT_LE(fine, 1.5 * coarse + 2);
}

TEST(PetscSolverTest, FactorsOfOtherValuesKeepTheOrdering) {
  const auto matrix =
      test::make_matrix<double>(gpu::make_cpu_device(), test::world(), test::laplacian_2d(20));
  ASSERT_EQ(PetscLogDefaultBegin(), 0);
  const auto count = [](const char* name) {
    PetscLogEvent event = -1;
    PetscEventPerfInfo info{};
    EXPECT_EQ(PetscLogEventGetId(name, &event), 0);
    if (event < 0) return 0;  // PETSc has had no matrix yet
    EXPECT_EQ(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info), 0);
    return test::world().max(info.count);  // a gathered matrix is factored on rank 0
  };
  SolverOptions options;
  options.method = Method::direct;
  const int orderings = count("MatCholFctrSym"), factorisations = count("MatCholFctrNum");
  LinearSolver<double> solver(options, matrix, {});
  for (const double factor : {-3.0, 0.5}) {
    gpu::scale(matrix->device(), factor, matrix->values().view());
    solver.update_matrix();
  }
  const auto map = matrix->pattern().map;
  const auto b = test::make_vector(matrix->device(), map, 1,
                                   [](GlobalIndex i, int) { return static_cast<double>(i % 7); });
  auto x = test::make_vector(matrix->device(), map, 1, [](GlobalIndex, int) { return 0.0; });
  const SolveResult result = solver.solve(b, x);
  EXPECT_TRUE(result.converged) << result.message;  // by the true residual
  EXPECT_EQ(result.iterations, 1);
  EXPECT_EQ(solver.n_set_ups(), 1);
  EXPECT_EQ(count("MatCholFctrSym") - orderings, 1);
  EXPECT_EQ(count("MatCholFctrNum") - factorisations, 3);
}

TEST(PetscSolverTest, CountsBeyondItsIntegersAreRefusedByName) {
  EXPECT_EQ(petsc_int(2147483647, "unknowns"), 2147483647);
  try {
    static_cast<void>(petsc_int(2147483648, "unknowns"));
    ADD_FAILURE() << "2^31 unknowns were taken";
  } catch (const CaseError& error) {
    EXPECT_NE(std::string(error.what()).find("2147483648 unknowns"), std::string::npos);
  }
}

}  // namespace
}  // namespace trestle::solver
