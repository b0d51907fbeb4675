#include "fem/expression.hpp"

#include <cmath>
#include <random>

#include "tests/support/devices.hpp"

namespace trestle::fem {
namespace {

using Op = Expression::Op;

Expression make(std::vector<Expression::Instruction> code) {
  return {std::move(code), "text", {"case.yaml", 3, 7}};
}

/// values[i] = expression at random points, through `evaluate` on a device.
std::vector<double> evaluated(const gpu::Device& device, const Expression& expression,
                              const std::vector<double>& points, double time = 0) {
  const auto n = static_cast<Offset>(points.size() / 3);
  const auto on_device = gpu::upload(device, points, "test");
  gpu::Array<double> values(device, n, "test");
  evaluate(device, expression, gpu::View<const double, 2>(on_device.data(), n, 3), time,
           values.view());
  return gpu::download(values);
}

std::vector<double> random_points(std::size_t n) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.1, 2.0);
  std::vector<double> points(3 * n);
  for (double& p : points) p = uniform(random);
  return points;
}

class ExpressionOnDevice : public test::OnEachDevice {};

// x^2 y - sin(z) + t; a device may round pow and sin in the last place.
TEST_P(ExpressionOnDevice, GivesTheValuesOfTheFormula) {
  const Expression expression = make({{Op::x, 0},
                                      {Op::number, 2},
                                      {Op::power, 0},
                                      {Op::y, 0},
                                      {Op::multiply, 0},
                                      {Op::z, 0},
                                      {Op::sin, 0},
                                      {Op::subtract, 0},
                                      {Op::t, 0},
                                      {Op::add, 0}});
  const std::vector<double> points = random_points(1000);
  const std::vector<double> values = evaluated(device(), expression, points, 0.25);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = points[3 * i], y = points[3 * i + 1], z = points[3 * i + 2];
    EXPECT_NEAR(values[i], x * x * y - std::sin(z) + 0.25, 1e-14 * (1 + x * x * y));
  }
}

TEST_P(ExpressionOnDevice, ChoosesComparesAndTakesExtremes) {
  const Expression expression = make({{Op::x, 0},
                                      {Op::y, 0},
                                      {Op::less, 0},
                                      {Op::x, 0},
                                      {Op::y, 0},
                                      {Op::max, 0},
                                      {Op::x, 0},
                                      {Op::y, 0},
                                      {Op::min, 0},
                                      {Op::choose, 0}});
  const std::vector<double> points = random_points(200);
  const std::vector<double> values = evaluated(device(), expression, points);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], points[3 * i + 1]);
}

// |x - 1| + 1 between 0 and 2 as a table, times y.
TEST_P(ExpressionOnDevice, LooksUpTables) {
  const Expression expression = make({{Op::x, 0},
                                      {Op::table, 3},
                                      {Op::number, 0},
                                      {Op::number, 2},
                                      {Op::number, 1},
                                      {Op::number, 1},
                                      {Op::number, 2},
                                      {Op::number, 2},
                                      {Op::y, 0},
                                      {Op::multiply, 0}});
  const std::vector<double> points = random_points(1000);
  const std::vector<double> values = evaluated(device(), expression, points);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], (std::fabs(points[3 * i] - 1) + 1) * points[3 * i + 1], 1e-14);
}

TEST_P(ExpressionOnDevice, GivesTheSlopeOfATableByTheTemperature) {
  const Expression expression = make({{Op::number, 2},
                                      {Op::temperature, 0},
                                      {Op::multiply, 0},
                                      {Op::table, 3},
                                      {Op::number, 0},
                                      {Op::number, 5},
                                      {Op::number, 1},
                                      {Op::number, 8},
                                      {Op::number, 3},
                                      {Op::number, 2}});
  const std::vector<double> at{-1, 0.25, 1, 2}, value{5, 6.5, 5, 2}, slope{0, 6, -6, 0};
  const auto temperatures = gpu::upload(device(), at, "test");
  gpu::Array<double> values(device(), 4, "test"), slopes(device(), 4, "test");
  evaluate_with_slope(device(), expression, {}, 0, temperatures.view(), values.view(),
                      slopes.view());
  EXPECT_EQ(gpu::download(values), value);
  EXPECT_EQ(gpu::download(slopes), slope);
}

TEST_P(ExpressionOnDevice, ThatIsNotFiniteNamesTextPlaceAndPoint) {
  const Expression expression =
      make({{Op::number, 1}, {Op::x, 0}, {Op::number, 0.5}, {Op::subtract, 0}, {Op::divide, 0}});
  const std::vector<double> points{0.25, 1, 2, 0.5, 3, 4, 0.5, 5, 6};
  try {
    evaluated(device(), expression, points);
    FAIL() << "1/0 passed";
  } catch (const NumericalError& error) {
    EXPECT_EQ(error.code(), ExitCode::not_a_number);
    const std::string what = error.what();
    EXPECT_NE(what.find("case.yaml:3:7"), std::string::npos) << what;
    EXPECT_NE(what.find("\"text\" is inf at (0.5, 3, 4) m"), std::string::npos) << what;
    EXPECT_NE(what.find("if(x > 0, 1/x, 0)"), std::string::npos) << what;
  }
}

TEST_P(ExpressionOnDevice, ATableThatEndsSaysWhereInTheWordsOfTheCase) {
  const Expression table({{Op::t, 0},
                          {Op::strict_table, 2},
                          {Op::number, 0},
                          {Op::number, 1},
                          {Op::number, 4},
                          {Op::number, 2}},
                         "strict_table(t, 0, 1, 4, 2)", {"case.yaml", 3, 7});
  gpu::Array<double> values(device(), 1, "test");
  const auto points = gpu::upload(device(), std::vector<double>{1, 2, 3}, "test");
  try {
    evaluate(device(), table, gpu::View<const double, 2>(points.data(), 1, 3), 5, values.view());
    FAIL() << "a value beyond the end passed";
  } catch (const NumericalError& error) {
    const std::string what = error.what();
    EXPECT_NE(
        what.find("case.yaml:3:7: the table of t, which runs from 0 to 4 (beyond: error), has "
                  "no value at (1, 2, 3) m, t = 5 s"),
        std::string::npos)
        << what;
  }
}

TEST_P(ExpressionOnDevice, AtNoPointsDoesNothing) {
  EXPECT_TRUE(evaluated(device(), Expression(3.0), {}).empty());
}

// 1000 points are no multiple of a block; constants meet values on either side.
TEST_P(ExpressionOnDevice, GivesTheBitsOfTheHost) {
  const Expression expression = make({{Op::number, 2},
                                      {Op::x, 0},
                                      {Op::number, 0.5},
                                      {Op::subtract, 0},
                                      {Op::number, 2},
                                      {Op::power, 0},
                                      {Op::negate, 0},
                                      {Op::exp, 0},
                                      {Op::multiply, 0},
                                      {Op::t, 0},
                                      {Op::number, 3},
                                      {Op::multiply, 0},
                                      {Op::y, 0},
                                      {Op::z, 0},
                                      {Op::less, 0},
                                      {Op::y, 0},
                                      {Op::number, 7},
                                      {Op::choose, 0},
                                      {Op::divide, 0}});
  if (device().kind() == gpu::DeviceKind::cuda) GTEST_SKIP() << "a card divides and fuses its way";
  const std::vector<double> points = random_points(1000);
  const std::vector<double> values = evaluated(device(), expression, points, 0.25);
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(values[i], expression(points[3 * i], points[3 * i + 1], points[3 * i + 2], 0.25));
}

TEST_P(ExpressionOnDevice, ExponentialIsRightToItsLastPlaces) {
  const Expression exponential = make({{Op::x, 0}, {Op::exp, 0}});
  std::vector<double> points;
  for (double x = -745; x < 709.7; x += 0.0371) points.insert(points.end(), {x, 0, 0});
  const std::vector<double> values = evaluated(device(), exponential, points);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double exact = std::exp(points[3 * i]);
    const double unit = std::nextafter(exact, INFINITY) - exact;
    ASSERT_LE(std::abs(values[i] - exact), 2 * unit) << points[3 * i];  // one of each side
  }
}

TRESTLE_ON_EACH_DEVICE(ExpressionOnDevice);

TEST(Expression, ExponentialHasTheLimitsOfTheNumbers) {
  const Expression exponential = make({{Op::x, 0}, {Op::exp, 0}});
  EXPECT_EQ(exponential(0, 0, 0), 1);
  EXPECT_EQ(exponential(-1e300, 0, 0), 0);
  EXPECT_EQ(exponential(-INFINITY, 0, 0), 0);
  EXPECT_EQ(exponential(710, 0, 0), INFINITY);
  EXPECT_EQ(exponential(INFINITY, 0, 0), INFINITY);
  EXPECT_TRUE(std::isnan(exponential(std::nan(""), 0, 0)));
}

TEST(Expression, OnTheHostIsTheSameProgram) {
  const Expression power = make({{Op::x, 0}, {Op::y, 0}, {Op::power, 0}});
  EXPECT_EQ(power(2, 10, 0), 1024);
  EXPECT_TRUE(std::isnan(make({{Op::x, 0}, {Op::sqrt, 0}})(-1, 0, 0)));
}

TEST(Expression, KnowsWhatItDependsOn) {
  EXPECT_TRUE(Expression(2.0).is_number());
  EXPECT_FALSE(Expression(2.0).uses_place());
  const Expression ramp = make({{Op::t, 0}, {Op::number, 2}, {Op::multiply, 0}});
  EXPECT_TRUE(ramp.uses_time());
  EXPECT_FALSE(ramp.uses_place());
  EXPECT_TRUE(make({{Op::z, 0}}).uses_place());
}

// A NaN must reach the check of `evaluate`, whatever the operation around it.
TEST(Expression, DoesNotSwallowANan) {
  for (Op op : {Op::min, Op::max})
    for (bool first : {true, false}) {
      const Expression::Instruction bad{Op::x, 0}, good{Op::number, 1};
      const Expression e = make({first ? bad : good, first ? good : bad, {op, 0}});
      EXPECT_TRUE(std::isnan(e(std::nan(""), 0, 0)));
    }
  for (Op op : {Op::sign, Op::step, Op::abs})
    EXPECT_TRUE(std::isnan(make({{Op::x, 0}, {op, 0}})(std::nan(""), 0, 0)));
}

}  // namespace
}  // namespace trestle::fem
