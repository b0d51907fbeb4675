// A device that has no memory for a preconditioner gets a lighter one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "core/fault.hpp"
#include "solver/auto_choice.hpp"
#include "tests/solver/solving.hpp"

namespace trestle::solver {
namespace {

TEST(LighterStages, AreTheSameInFloatThenJacobi) {
  const std::vector<Stage> stages = lighter_stages({});
  ASSERT_EQ(stages.size(), 2);
  EXPECT_EQ(stages[0].preconditioner, Preconditioner::amg);
  EXPECT_EQ(stages[0].precision, Precision::mixed);
  EXPECT_EQ(stages[1].preconditioner, Preconditioner::jacobi);
  EXPECT_TRUE(lighter_stages(stages[1]).empty());
}

class OutOfMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (test::world().size() > 1) GTEST_SKIP() << "a rank that fails alone ends the program";
  }
  void plan(int n) {
    setenv("TRESTLE_ALLOW_FAULTS", "1", 1);
    setenv("TRESTLE_FAULT", ("device:allocate:" + std::to_string(n) + ":fail").c_str(), 1);
    read_faults(test::world().rank());
  }
  void TearDown() override {
    unsetenv("TRESTLE_FAULT");
    read_faults(test::world().rank());
  }
};

TEST_F(OutOfMemory, AtAnyAllocationEndsInASolutionByLessOrInAnError) {
  const test::Model model = test::laplacian_2d(24, 1, {1});
  const std::vector<double> b(24 * 24, 1.0);
  int n_recovered = 0;
  for (int n = 1;; ++n) {
    SCOPED_TRACE(n);
    plan(n);
    try {
      const gpu::Device device = gpu::make_debug_device();
      const test::Solved solved =
          test::solve(device, model, test::options_for(Method::automatic), b);
      EXPECT_TRUE(solved.result.converged) << solved.result.message;
      EXPECT_LE(test::relative_residual(model, solved.x, b), 1e-10);
      if (solved.result.choice.find("out of device memory") == std::string::npos) break;
      EXPECT_NE(solved.result.choice.find("; then "), std::string::npos);
      ++n_recovered;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::gpu_memory) << error.what();
    }
  }
  EXPECT_GT(n_recovered, 0);
}

}  // namespace
}  // namespace trestle::solver
