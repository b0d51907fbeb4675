#include "gpu/kernel_checks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

class KernelChecks : public OnEachDevice {};

TEST_P(KernelChecks, EveryKernelAgreesWithTheCpu) {
  const auto rows = gpu::check_kernels(device(), world());
  EXPECT_GE(rows.size(), 29U);
  for (const auto& row : rows)
    EXPECT_TRUE(row.ok) << row.name << ": " << row.max_relative_difference << " > " << row.allowed;
}

TRESTLE_ON_EACH_DEVICE(KernelChecks);

TEST(CompareWithCpu, DifferencesBeyondRoundingAreFound) {
  const std::vector<double> cpu{1, -4, 2};
  EXPECT_TRUE(gpu::compare_with_cpu("k", cpu, cpu, 0).ok);
  const auto row = gpu::compare_with_cpu("k", cpu, std::vector<double>{1, -4, 2.5}, 0.125);
  EXPECT_EQ(row.max_relative_difference, 0.125);
  EXPECT_TRUE(row.ok);
  EXPECT_FALSE(gpu::compare_with_cpu("k", cpu, std::vector<double>{1, -4, 2.5}, 0.12).ok);
}

TEST(CompareWithCpu, NotANumberInfinityAndMissingValuesAreFaults) {
  const std::vector<double> cpu{1, 2};
  for (double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_FALSE(gpu::compare_with_cpu("k", cpu, std::vector<double>{1, bad}, 1e300).ok);
  EXPECT_FALSE(gpu::compare_with_cpu("k", cpu, std::vector<double>{1}, 1e300).ok);
}

}  // namespace
}  // namespace trestle::test
