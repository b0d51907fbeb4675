// The stages of `auto` and of named methods, and the options that do not fit each other.
#include "solver/auto_choice.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/solver/solving.hpp"

namespace trestle::solver {
namespace {

using Kind = Stage::Kind;
using test::options_for;

std::vector<Kind> kinds(const SolverOptions& options, const SystemFacts& facts) {
  std::vector<Kind> result;
  for (const Stage& stage : stages_for(options, facts)) result.push_back(stage.kind);
  return result;
}

TEST(AutoChoiceTest, SmallSystemsOnTheCpuAreFactored) {
  const auto stages = stages_for(options_for(Method::automatic), {true, true, 3, 1000, false});
  EXPECT_EQ(stages[0].kind, Kind::direct);
  EXPECT_NE(stages[0].why.find("1000 unknowns in 3D, small enough"), std::string::npos);
}

TEST(AutoChoiceTest, WhatIsSolvedAgainAndAgainIteratesBeforeItFactors) {
  SystemFacts facts{true, true, 3, 20'000, false, true};
  const auto stages = stages_for(options_for(Method::automatic), facts);
  EXPECT_EQ(stages[0].method, Method::cg);
  EXPECT_EQ(stages[0].preconditioner, Preconditioner::jacobi);
  EXPECT_GT(stages[0].iteration_limit, 0);
  EXPECT_NE(stages[0].why.find("again and again"), std::string::npos);
  EXPECT_EQ(stages[1].kind, Kind::direct);
  for (const GlobalIndex few : {100, 4'999}) {
    facts.unknowns = few;
    EXPECT_EQ(stages_for(options_for(Method::automatic), facts)[0].kind, Kind::direct);
  }
  facts = {true, false, 3, 20'000, false, true};
  EXPECT_EQ(stages_for(options_for(Method::automatic), facts)[0].kind, Kind::direct);
}

TEST(AutoChoiceTest, LargePositiveDefiniteSystemsOnTheCpuTakeMultigridThenOthers) {
  EXPECT_EQ(kinds(options_for(Method::automatic), {true, true, 3, 1'000'000, false}),
            (std::vector{Kind::native, Kind::gamg, Kind::hypre, Kind::native, Kind::native,
                         Kind::direct}));
}

TEST(AutoChoiceTest, AGpuTakesTheOwnMethodsFirst) {
  const auto stages = stages_for(options_for(Method::automatic), {true, true, 3, 1000, true});
  EXPECT_EQ(stages[0].kind, Kind::native);
  EXPECT_EQ(stages[0].method, Method::cg);
  EXPECT_EQ(stages[0].preconditioner, Preconditioner::amg);
  EXPECT_EQ(stages.back().kind, Kind::direct);
}

TEST(AutoChoiceTest, TheStandInOfAGpuIsNotCalledOne) {
  SystemFacts facts{true, true, 3, 1000, true};
  const auto why = [&] { return stages_for(options_for(Method::automatic), facts)[0].why; };
  EXPECT_NE(why().find("on a GPU"), std::string::npos) << why();
  facts.debug = true;
  EXPECT_NE(why().find("on the debug device"), std::string::npos) << why();
}

TEST(AutoChoiceTest, UnsymmetricSystemsNeverMeetCgOrMinres) {
  for (GlobalIndex n : {1000, 1'000'000})
    for (bool on_gpu : {false, true})
      for (const Stage& stage :
           stages_for(options_for(Method::automatic), {false, false, 2, n, on_gpu})) {
        EXPECT_FALSE(stage.needs_positive_definite);
        EXPECT_FALSE(stage.kind == Kind::native &&
                     (stage.method == Method::cg || stage.method == Method::minres));
      }
}

std::vector<Method> methods(const SystemFacts& facts) {
  std::vector<Method> result;
  for (const Stage& stage : stages_for(options_for(Method::automatic), facts))
    result.push_back(stage.method);
  return result;
}

TEST(AutoChoiceTest, IndefiniteSystemsTakeMinresThenGmresAndUnsymmetricOnesGmresThenBicgstab) {
  for (bool on_gpu : {false, true}) {
    EXPECT_EQ(methods({true, false, 3, 1'000'000, on_gpu}),
              (std::vector{Method::minres, Method::gmres, Method::direct}));
    EXPECT_EQ(methods({false, false, 3, 1'000'000, on_gpu}),
              on_gpu
                  ? (std::vector{Method::gmres, Method::bicgstab, Method::petsc, Method::direct})
                  : (std::vector{Method::petsc, Method::gmres, Method::bicgstab, Method::direct}));
  }
  EXPECT_EQ(methods({false, false, 3, 1000, false}),
            (std::vector{Method::direct, Method::gmres, Method::bicgstab}));
}

TEST(AutoChoiceTest, UnsymmetricSystemsWithAPositiveDefiniteSymmetricPartTakeMultigridFirst) {
  for (bool on_gpu : {false, true}) {
    const auto stages =
        stages_for(options_for(Method::automatic), {false, true, 3, 1'000'000, on_gpu});
    ASSERT_GE(stages.size(), 3U);
    EXPECT_EQ(stages[0].method, Method::gmres);
    EXPECT_EQ(stages[0].preconditioner, Preconditioner::amg);
    EXPECT_FALSE(stages[0].why.empty());
    EXPECT_GT(stages[0].trial_iterations, 0);
    const Stage& host_next = stages[on_gpu ? stages.size() - 2 : 1];
    EXPECT_EQ(host_next.kind, Kind::ilu);
    EXPECT_EQ(stages[on_gpu ? 1 : 2].preconditioner, Preconditioner::jacobi);
  }
}

TEST(AutoChoiceTest, MixedReturnsToDouble) {
  for (Method method :
       {Method::automatic, Method::cg, Method::minres, Method::gmres, Method::bicgstab}) {
    const auto stages = stages_for(options_for(method, Preconditioner::automatic, Precision::mixed),
                                   {true, true, 3, 10, false});
    ASSERT_GE(stages.size(), 2U);
    EXPECT_EQ(stages[0].precision, Precision::mixed);
    EXPECT_EQ(stages[1].precision, Precision::double_);
  }
}

TEST(AutoChoiceTest, SingleNeverLeavesSingle) {
  for (const Stage& stage : stages_for(
           options_for(Method::automatic, Preconditioner::automatic, Precision::single, 1e-5),
           {true, true, 3, 10, false})) {
    EXPECT_EQ(stage.precision, Precision::single);
    EXPECT_EQ(stage.kind, Kind::native);
  }
}

TEST(AutoChoiceTest, ANamedMethodHasNoSuccessor) {
  for (Method method :
       {Method::cg, Method::minres, Method::gmres, Method::bicgstab, Method::petsc, Method::direct})
    EXPECT_EQ(stages_for(options_for(method), {}).size(), 1U);
}

void expect_refused(const SolverOptions& options, const std::string& words) {
  try {
    static_cast<void>(stages_for(options, {}));
    ADD_FAILURE() << words << " was expected";
  } catch (const CaseError& error) {
    EXPECT_EQ(error.code(), ExitCode::case_file);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(AutoChoiceTest, OptionsThatDoNotFitAreRefused) {
  constexpr auto automatic = Preconditioner::automatic;
  expect_refused(options_for(Method::direct, automatic, Precision::mixed), "works in double");
  expect_refused(options_for(Method::petsc, automatic, Precision::single, 1e-4), "works in double");
  expect_refused(options_for(Method::cg, automatic, Precision::single, 1e-6), "precision mixed");
  expect_refused(options_for(Method::petsc, Preconditioner::jacobi), "-pc_type");
  expect_refused(options_for(Method::cg, automatic, Precision::double_, 0), "between 0 and 1");
  SolverOptions options = options_for(Method::cg);
  options.petsc_options = {"-ksp_type", "cg"};
  expect_refused(options, "only method petsc");
  options = options_for(Method::cg);
  options.max_iterations = 0;
  expect_refused(options, "max_iterations");
}

TEST(AutoChoiceTest, TheChoiceAndItsFallbacksAreInTheResult) {
  const gpu::Device device = gpu::make_cpu_device();
  const auto small = test::solve(device, test::laplacian_1d(9), options_for(Method::automatic),
                                 std::vector<double>(9, 1.0));
  EXPECT_NE(small.result.choice.find("symmetric positive definite, 9 unknowns"), std::string::npos)
      << small.result.choice;
  EXPECT_EQ(small.result.method, "direct");
  // Believed to be positive definite, but is not: CG says so and MUMPS solves it.
  const auto indefinite = test::solve(
      device, test::dense({{0, 1}, {1, 0}}),
      options_for(Method::automatic, Preconditioner::automatic, Precision::mixed), {1, -1});
  EXPECT_TRUE(indefinite.result.converged);
  EXPECT_EQ(indefinite.result.precision, "double");
  EXPECT_NE(indefinite.result.choice.find("not_positive_definite"), std::string::npos)
      << indefinite.result.choice;
  EXPECT_NE(indefinite.result.choice.find("then direct"), std::string::npos)
      << indefinite.result.choice;
}

}  // namespace
}  // namespace trestle::solver
