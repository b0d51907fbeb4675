#include "io/case/expression_parser.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace trestle::io {
namespace {

const SourcePosition place{"case.yaml", 12, 20};

double value(const std::string& text, double x = 0, double y = 0, double z = 0) {
  return parse_expression(text, place)(x, y, z);
}

std::string fault(const std::string& text) {
  try {
    parse_expression(text, place);
  } catch (const CaseError& error) {
    return error.what();
  }
  ADD_FAILURE() << text.substr(0, 80) << " was accepted";
  return "";
}

TEST(ExpressionParser, FollowsThePrecedenceOfItsGrammar) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("16/4/2"), 2);
  EXPECT_EQ(value("1 < 2 and not 3 < 2 or 0"), 1);
  EXPECT_EQ(value("not 1 == 2"), 1);
  EXPECT_EQ(value("0 and 1 or 1"), 1);
  EXPECT_EQ(value("1 + 1 >= 2"), 1);
  EXPECT_EQ(value("3 != 3"), 0);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("+3"), 3);
}

TEST(ExpressionParser, KnowsCoordinatesConstantsAndFunctions) {
  EXPECT_EQ(value("x + 10*y + 100*z", 1, 2, 3), 321);
  EXPECT_EQ(value("pi"), std::numbers::pi);
  EXPECT_EQ(value("log(e)"), 1);
  EXPECT_EQ(value("if(x > 0.5, 10, 20)", 1), 10);
  EXPECT_EQ(value("if(x > 0.5, 10, 20)", 0), 20);
  EXPECT_EQ(value("if(x == 0, 0, 1/x)", 0), 0);
  EXPECT_EQ(value("min(3, 1, 2)"), 1);
  EXPECT_EQ(value("max(3, 1, x, 2)", 7), 7);
  EXPECT_EQ(value("step(0)"), 1);
  EXPECT_EQ(value("step(-1e-9)"), 0);
  EXPECT_EQ(value("pow(2, 5)"), 32);
  EXPECT_EQ(value("hypot(3, 4)"), 5);
  EXPECT_EQ(value("atan2(1, 0)"), std::atan2(1.0, 0.0));
  EXPECT_EQ(value("sign(-4)*abs(-4)*floor(2.7)*ceil(2.2)"), -24);
  EXPECT_EQ(value("log10(1000) + sqrt(16) + exp(0)"), 8);
}

TEST(ExpressionParser, MakesEveryFunctionOfTheReferencePage) {
  for (const ExpressionName& function : expression_functions()) {
    const bool three = function.name == "if";
    const bool two = function.name == "atan2" || function.name == "pow" ||
                     function.name == "hypot" || function.name == "min" || function.name == "max";
    const bool table = function.name.find("table") != std::string::npos;
    const std::string text = function.name + (table   ? "(x, 0, 1, 1, 2)"
                                              : three ? "(x, x, x)"
                                              : two   ? "(x, x)"
                                                      : "(x)");
    EXPECT_TRUE(std::isfinite(value(text, 0.5))) << text;
  }
}

TEST(ExpressionParser, InterpolatesTablesBetweenTheirPairs) {
  const std::string text = "table(x, 0, 10, 2, 30, 3, 2*10)";
  EXPECT_EQ(value(text, 0), 10);
  EXPECT_EQ(value(text, 0.5), 15);
  EXPECT_EQ(value(text, 2), 30);
  EXPECT_EQ(value(text, 2.75), 22.5);
  EXPECT_EQ(value(text, -1), 10);
  EXPECT_EQ(value(text, 7), 20);
  EXPECT_EQ(value("1 + 2*table(x^2, 0, 0, 4, 8)", 1), 5);
  EXPECT_EQ(value("strict_table(x, 0, 10, 2, 30)", 2), 30);
  EXPECT_TRUE(std::isnan(value("strict_table(x, 0, 10, 2, 30)", 2.01)));
  EXPECT_EQ(value("table(0.5, 0, 0, 1, 1)"), 0.5);
}

TEST(ExpressionParser, MakesANumberOfWhatDoesNotVary) {
  const fem::Expression constant = parse_expression("2*pi", place);
  EXPECT_TRUE(constant.is_number());
  EXPECT_EQ(constant.number(), 2 * std::numbers::pi);
  EXPECT_FALSE(parse_expression("0*x", place).is_number());
  EXPECT_NE(fault("1/0").find("not finite"), std::string::npos);
  EXPECT_NE(fault("sqrt(-1)").find("not finite"), std::string::npos);
}

TEST(ExpressionParser, PointsAtTheMistakeInTheFileAndInTheExpression) {
  const std::string what = fault("2*x + q");
  EXPECT_EQ(what.find("case.yaml:12:26: "), 0u) << what;
  EXPECT_NE(what.find("unknown name \"q\""), std::string::npos) << what;
  EXPECT_NE(what.find("character 7 of the expression \"2*x + q\""), std::string::npos) << what;
}

TEST(ExpressionParser, ExplainsWhatItRefuses) {
  const std::pair<const char*, const char*> refused[] = {
      {"table(x, 0, 1)", "two or more pairs"},
      {"table(x, 0, 1, 1)", "two or more pairs"},
      {"table(x, 0, 1, 0, 2)", "0 is not above 0"},
      {"table(x, 0, 1, y, 2)", "the pairs of a table are numbers"},
      {"sqr(x)", "did you mean \"sqrt\""},
      {"5 + Sin(x)", "did you mean \"sin\""},
      {"ln(x + 1)", "did you mean \"log\""},
      {"2*MPa",
       "takes no unit, it is in SI with coordinates in metres: write \"1000000\" for \"MPa\""},
      {"x*degC", "write temperatures in K"},
      {"sqrt", "is a function"},
      {"sin(x, y)", "sin takes 1 argument, got 2"},
      {"sin()", "sin takes 1 argument, got 0"},
      {"atan2(x)", "atan2 takes 2 arguments, got 1"},
      {"min(x)", "min takes two or more arguments, got 1"},
      {"if(x, 1)", "if takes 3 arguments, got 2"},
      {"x = 5", "assignment is refused"},
      {"f = 5", "assignment is refused"},
      {"2 x", "operator is missing"},
      {"2x", "operator is missing"},
      {"x y", "operator is missing"},
      {"2*x mm", "in SI"},
      {"(x", "expected \")\""},
      {"x)", "unexpected \")\""},
      {"x +", "ends too early"},
      {"", "empty"},
      {"   ", "empty"},
      {"x && y", "\"and\""},
      {"x || y", "\"or\""},
      {"!x", "\"not\""},
      {"x**2", "\"^\""},
      {"x $ y", "unexpected character"},
      {"x \u2212 1", "write \"-\" instead of"},
      {"300 \u2212 x", "write \"-\" instead of"},
      {"2\u00B7x", "write \"*\" instead of"},
      {"\u03C0", "unexpected character \"\u03C0\""},
      {"0 < x < 1", "chain of comparisons"},
      {"010*x", "leading zeros"},
      {"0x10*x", "hexadecimal"},
      {"1_000*x", "separators"},
      {"1e400*x", "too large"},
      {"x; y", "unexpected character"},
      {"system(\"ls\")", "unknown function \"system\""},
      {"ncr(ncr(2,7),1)", "unknown function \"ncr\""},
      {"x.y", "is not a number"},
  };
  for (const auto& [text, reason] : refused) {
    const std::string what = fault(text);
    EXPECT_NE(what.find(reason), std::string::npos) << text << " -> " << what;
  }
}

std::string repeated(const std::string& piece, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += piece;
  return text;
}

TEST(ExpressionParser, HoldsItsLimits) {
  EXPECT_NE(fault(repeated("(", 100'000)).find("at most"), std::string::npos);
  EXPECT_NE(fault("1" + repeated("+1", 1'000'000)).find("at most"), std::string::npos);
  EXPECT_NE(fault(repeated("(", 5000) + "x").find("deeper than 64"), std::string::npos);
  EXPECT_NE(fault(repeated("-", 5000) + "x").find("deeper than 64"), std::string::npos);
  EXPECT_NE(fault(repeated("not ", 2000) + "x").find("deeper than 64"), std::string::npos);
  EXPECT_NE(fault("x" + repeated("^x", 4000)).find("deeper than 64"), std::string::npos);
  EXPECT_NE(fault(repeated("abs(", 2000) + "x").find("deeper than 64"), std::string::npos);
  // 62 open operands fit the stack; the same expression with too many does not.
  EXPECT_EQ(value(repeated("1+(", 62) + "1" + repeated(")", 62)), 63);
  EXPECT_NE(fault(repeated("1+2*(", 40) + "1" + repeated(")", 40)).find("at once"),
            std::string::npos);
  EXPECT_EQ(value("1" + repeated("+1", 4000)), 4001);
}

}  // namespace
}  // namespace trestle::io
