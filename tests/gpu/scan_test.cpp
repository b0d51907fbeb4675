#include "gpu/scan.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

class ScanTest : public OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(ScanTest);

TEST_P(ScanTest, GivesTheSumsBeforeEachCountAndOfAll) {
  for (const std::size_t n : {0, 1, 2, 1023, 1024, 1025, 5000}) {
    std::vector<Offset> counts(n);
    for (std::size_t i = 0; i < n; ++i) counts[i] = static_cast<Offset>((i * 7919) % 13);
    std::vector<Offset> expected(n + 1, 0);
    std::partial_sum(counts.begin(), counts.end(), expected.begin() + 1);
    EXPECT_EQ(gpu::download(gpu::exclusive_scan(gpu::upload(device(), counts, "test"))), expected)
        << n;
  }
}

}  // namespace
}  // namespace trestle::test
