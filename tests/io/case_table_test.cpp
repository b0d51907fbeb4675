// Tables in place of expressions.
#include <cmath>

#include "tests/io/case_support.hpp"

namespace trestle::io {
namespace {

using test::expect_mistake;
using test::parsed;

std::string with_conductivity(const std::string& value) {
  return "physics: heat\n"
         "mesh: {file: plate.msh}\n"
         "materials:\n"
         "  iron: {conductivity: " +
         value + "}\n";
}

const fem::Expression& conductivity(const Case& c, std::size_t component = 0) {
  return *c.problem.materials[0].parameters.at("conductivity").components[component];
}

TEST(CaseTable, StandsWhereAnExpressionMayStand) {
  const Case c = parsed(with_conductivity("{table: [[20 degC, 45], [600, 38]], of: T}"));
  EXPECT_TRUE(conductivity(c).uses_temperature());
  EXPECT_EQ(conductivity(c)(0, 0, 0, 0, 293.15), 45);
  EXPECT_EQ(conductivity(c)(0, 0, 0, 0, 600), 38);
  EXPECT_NEAR(conductivity(c)(0, 0, 0, 0, 0.5 * (293.15 + 600)), 41.5, 1e-12);
  EXPECT_EQ(conductivity(c)(0, 0, 0, 0, 1000), 38);
}

TEST(CaseTable, StandsInListsAndMayBeOfAPlace) {
  const Case c = parsed(with_conductivity("[{table: [[0, 1], [10 mm, 2]], of: x}, 3, 4]"));
  EXPECT_EQ(conductivity(c)(0.005, 0, 0), 1.5);
  EXPECT_EQ(conductivity(c, 1).number(), 3);
}

TEST(CaseTable, ReadsBackTheSameFromTheResolvedCopy) {
  const Case c =
      parsed(with_conductivity("{table: [[293.15, 45.3], [600, 38]], of: T, beyond: error}"));
  EXPECT_TRUE(std::isnan(conductivity(c)(0, 0, 0, 0, 700)));
  const Case again = parsed(c.resolved);
  EXPECT_EQ(again.resolved, c.resolved);
  EXPECT_EQ(conductivity(again)(0, 0, 0, 0, 400), conductivity(c)(0, 0, 0, 0, 400));
}

TEST(CaseTable, EveryMistakeHasItsSentence) {
  const auto refused = [](const std::string& value, const std::string& part) {
    expect_mistake(with_conductivity(value), part);
  };
  refused("{table: [[293, 45]], of: T}", "two or more pairs");
  refused("{table: [[293, 45], [293, 38]], of: T}", "293 is not above 293");
  refused("{table: [[293, 45], [400, 38, 1]], of: T}", "expected a pair");
  refused("{table: [[293, 45], [400, -38]], of: T}", "-38 is out of range");
  refused("{table: [[293 m, 45], [400, 38]], of: T}", "m");
  refused("{table: [[293, 45], [400, 38]]}", "what they are of");
  refused("{table: [[293, 45], [400, 38]], of: t}", "nothing that this value can depend on");
  refused("{table: [[293, 45], [400, 38]], of: T, beyond: linear}", "unknown word \"linear\"");
  refused("{table: [[293, 45], [400, 38]], off: T}", "unknown key \"off\"");
}

}  // namespace
}  // namespace trestle::io
