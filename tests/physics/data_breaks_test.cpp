// Breaks in data: jumps of branches to the last bit, steep tables, and what is none.
#include "physics/data_breaks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

constexpr double end = 10, step = 0.1;

std::vector<physics::DataBreak> breaks_of(const std::vector<std::string>& expressions) {
  physics::Problem problem{.physics = "heat"};
  for (const std::string& text : expressions)
    problem.conditions.push_back(condition("flux", {"xmin"}, {text}));
  return physics::data_breaks(problem, end, step);
}

TEST(DataBreaks, AreBetweenTheLastOldAndTheFirstNewValue) {
  for (const char* text : {"if(t < 2.37, 1, 0)", "1 - step(t - 2.37)", "2*(t >= 2.37) + x",
                           "t*(2.37 > t)*exp(-y)", "sign(2.37 - t)"}) {
    const auto found = breaks_of({text});
    ASSERT_GE(found.size(), 1u) << text;
    EXPECT_NEAR(found[0].from, 2.37, 1e-14) << text;
    EXPECT_LE(found[0].from, 2.37) << text;
    EXPECT_GE(found[0].until, 2.37) << text;
    EXPECT_LT(found[0].from, found[0].until) << text;
  }
  EXPECT_EQ(breaks_of({"t <= 2.37"}).at(0).from, 2.37);  // still old there
  EXPECT_EQ(breaks_of({"t < 2.37"}).at(0).until, 2.37);
}

TEST(DataBreaks, OfSeveralConditionsStandInOrderAndOnce) {
  const auto found = breaks_of({"t > 7", "floor(t/3)", "if(t <= 7, x, y)"});
  ASSERT_EQ(found.size(), 4u);
  const double expected[] = {3, 6, 7, 9};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k].from, expected[k], 1e-13);
}

TEST(DataBreaks, OfTablesAreWhereTheyAreSteep) {
  const auto steep = breaks_of({"table(t, 0, 1, 2, 1, 2.001, 5, 8, 5)"});
  ASSERT_EQ(steep.size(), 1u);
  EXPECT_EQ(steep[0].from, 2);
  EXPECT_EQ(steep[0].until, 2.001);
  EXPECT_TRUE(breaks_of({"table(t, 0, 1, 2, 1, 4, 5, 8, 5)"}).empty());  // bends alone
  std::string dense = "table(t";
  for (int k = 0; k < 200; ++k) dense += ", " + std::to_string(0.05 * k) + ", " + std::to_string(k);
  EXPECT_TRUE(breaks_of({dense + ")"}).empty());
}

TEST(DataBreaks, AreNotThoseOfPlacesOfSmoothDataOrOfMoreJumpsThanSteps) {
  EXPECT_TRUE(breaks_of({"if(x < 2*t, 1, 0)"}).empty());
  EXPECT_TRUE(breaks_of({"sin(t)*exp(-t)"}).empty());
  EXPECT_TRUE(breaks_of({"t > 20"}).empty());
  EXPECT_TRUE(breaks_of({"x > 0.5"}).empty());
  EXPECT_TRUE(breaks_of({"floor(1000*t)"}).empty());
}

}  // namespace
}  // namespace trestle::test
