// The section `exact` of a case.
#include <gtest/gtest.h>

#include "tests/io/case_support.hpp"

namespace trestle::test {
namespace {

const std::string transient_case =
    "physics: heat\n"
    "mesh: {file: plate.msh}\n"
    "analysis: {type: transient, end: 1, step: 0.1}\n"
    "initial: [{temperature: 300}]\n"
    "materials:\n"
    "  iron: {conductivity: 50, density: 1, specific_heat: 1}\n";

TEST(CaseExactTest, IsAnExpressionForEachComponentOfTheField) {
  const io::Case heat = parsed(transient_case + "exact: {temperature: 300 + x*t}\n");
  ASSERT_TRUE(heat.exact);
  EXPECT_DOUBLE_EQ((*heat.exact->components[0])(2, 0, 0, 3), 306);
  const io::Case solid = parsed(elasticity_case + "exact: {displacement: [x, 0, x*z]}\n");
  ASSERT_TRUE(solid.exact);
  EXPECT_EQ(solid.exact->components.size(), 3u);
  EXPECT_FALSE(parsed(heat_case).exact);
}

TEST(CaseExactTest, StaysInTheResolvedCopy) {
  const io::Case c = parsed(transient_case + "exact: {temperature: 300 + x*t}\n");
  const io::Case again = parsed(c.resolved);
  ASSERT_TRUE(again.exact);
  EXPECT_EQ(again.resolved, c.resolved);
}

TEST(CaseExactTest, RefusesOtherFieldsFreeComponentsAndTimeWhereThereIsNone) {
  expect_mistake(heat_case + "exact: {temperature: 300 + t}\n", "only a transient analysis has");
  expect_mistake(elasticity_case + "exact: {displacement: [0, ~, 0]}\n", "exact.displacement");
  EXPECT_NE(joined(mistakes(heat_case + "exact: {displacement: [0, 0, 0]}\n"))
                .find("unknown key \"displacement\""),
            std::string::npos);
}

}  // namespace
}  // namespace trestle::test
