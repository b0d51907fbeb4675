#include "tests/gpu/reduce_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "gpu/array.hpp"
#include "tests/gpu/random.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

class Reduce : public OnEachDevice {};

TEST_P(Reduce, SumsOfIntegersAreExactForEveryLength) {
  for (Offset n : {0, 1, 7, 8, 9, 4095, 4096, 4097, 300001}) {
    std::vector<double> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 1.0);
    const auto x = gpu::upload(device(), values, "x");
    EXPECT_EQ(sum_of(device(), x.view()), static_cast<double>(n * (n + 1) / 2)) << n;
  }
}

TEST_P(Reduce, SumIsTheSameBitsEveryTimeAndCloseToLongDouble) {
  const std::vector<double> values = random_values<double>(1000003, 4);
  const auto x = gpu::upload(device(), values, "x");
  const double first = sum_of(device(), x.view());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(sum_of(device(), x.view()), first);
  const long double exact = std::accumulate(values.begin(), values.end(), 0.0L);
  const double magnitude = std::accumulate(values.begin(), values.end(), 0.0,
                                           [](double a, double v) { return a + std::abs(v); });
  // A chain of 4096/8 + 3 + 245 additions on the cpu; shorter ones on a GPU.
  EXPECT_NEAR(first, static_cast<double>(exact),
              760 * std::numeric_limits<double>::epsilon() * magnitude);
}

TEST_P(Reduce, MaximumFindsTheLargestWhereverItStands) {
  std::vector<double> values = random_values<double>(20011, 5);
  for (std::size_t at : {std::size_t{0}, std::size_t{4097}, values.size() - 1}) {
    const double before = std::exchange(values[at], 3.0);
    const auto x = gpu::upload(device(), values, "x");
    EXPECT_EQ(maximum_of(device(), x.view()), 3.0) << at;
    values[at] = before;
  }
  for (double& v : values) v -= 10.0;
  const auto negative = gpu::upload(device(), values, "x");
  EXPECT_EQ(maximum_of(device(), negative.view()), *std::max_element(values.begin(), values.end()));
}

TEST_P(Reduce, MaximumOfNothingIsMinusInfinityAndNotANumberWins) {
  const auto nothing = gpu::upload(device(), std::vector<double>{}, "x");
  EXPECT_EQ(maximum_of(device(), nothing.view()), -std::numeric_limits<double>::infinity());
  for (std::size_t at : {0, 5, 9000}) {
    std::vector<double> values(9001, 1.0);
    values[at] = std::numeric_limits<double>::quiet_NaN();
    const auto x = gpu::upload(device(), values, "x");
    EXPECT_TRUE(std::isnan(maximum_of(device(), x.view()))) << at;
  }
}

TEST_P(Reduce, AnUpdateWithItsSumsGivesTheBitsOfThreePasses) {
  for (Offset n : {0, 1, 9, 4096, 4097, 100003}) {
    const std::vector<double> from = random_values<double>(static_cast<std::size_t>(n), 6);
    const std::vector<double> to = random_values<double>(static_cast<std::size_t>(n), 7);
    const auto x = gpu::upload(device(), from, "x");
    auto fused = gpu::upload(device(), to, "y");
    auto plain = gpu::upload(device(), to, "y");
    EXPECT_EQ(add_twice_and_sum(device(), x.view(), fused.view()),
              add_twice_then_sum(device(), x.view(), plain.view()))
        << n;
    EXPECT_EQ(gpu::download(fused), gpu::download(plain)) << n;
  }
}

TRESTLE_ON_EACH_DEVICE(Reduce);

}  // namespace
}  // namespace trestle::test
