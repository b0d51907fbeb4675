#include "gpu/vector_ops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gpu/array.hpp"
#include "tests/gpu/random.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

using gpu::download;
using gpu::upload;

class VectorOps : public OnEachDevice {};

TEST_P(VectorOps, FillWritesEveryEntryAndNoOther) {
  gpu::Array<float> x = upload(device(), std::vector<float>(1000, 1.0F), "x");
  gpu::fill(device(), gpu::View<float, 1>(x.data() + 1, 998), 2.5);
  const std::vector<float> values = download(x);
  EXPECT_EQ(values.front(), 1.0F);
  EXPECT_EQ(values.back(), 1.0F);
  for (std::size_t i = 1; i + 1 < values.size(); ++i) ASSERT_EQ(values[i], 2.5F);
}

TEST_P(VectorOps, CopyRoundsToTheNearestFloatAndWidensExactly) {
  const gpu::Device on = device();
  const std::vector<double> values = random_values<double>(777, 1);
  const gpu::Array<double> x = upload(on, values, "x");
  gpu::Array<float> y(on, x.size(), "y");
  gpu::Array<double> z(on, x.size(), "z"), same(on, x.size(), "same");
  gpu::copy(on, x.view(), y.view());
  gpu::copy(on, std::as_const(y).view(), z.view());
  gpu::copy(on, x.view(), same.view());
  const std::vector<double> back = download(z), equal = download(same);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(back[i], static_cast<double>(static_cast<float>(values[i])));
    ASSERT_EQ(equal[i], values[i]);
  }
}

TEST_P(VectorOps, AxpyAndScaleAgreeWithTheirDefinitionToOneRounding) {
  const gpu::Device on = device();
  const std::vector<float> x = random_values<float>(1001, 2);
  const std::vector<double> y = random_values<double>(1001, 3);
  const gpu::Array<float> x_device = upload(on, x, "x");
  gpu::Array<double> y_device = upload(on, y, "y");
  gpu::axpy(on, -1.5, x_device.view(), y_device.view());
  gpu::scale(on, 3.0, y_device.view());
  const std::vector<double> result = download(y_device);
  constexpr double one_rounding = 4 * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(result[i], 3 * (y[i] - 1.5 * static_cast<double>(x[i])), 8 * one_rounding);
}

TEST_P(VectorOps, DotOfIntegersIsExact) {
  const gpu::Device on = device();
  constexpr Offset n = 100003;  // 1 + 4 + 9 + ...: below 2^53
  std::vector<double> values(n);
  for (Offset i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = static_cast<double>(i);
  const gpu::Array<double> x = upload(on, values, "x");
  EXPECT_EQ(gpu::dot(on, x.view(), x.view()),
            static_cast<double>(n * (n - 1) / 2 * (2 * n - 1) / 3));
  EXPECT_EQ(gpu::norm2_squared(on, x.view()), gpu::dot(on, x.view(), x.view()));
}

TEST_P(VectorOps, DotOfFloatsIsAccumulatedInDouble) {
  const gpu::Device on = device();
  // 2^24 + 1 is no float: a float sum would stay at 2^24.
  std::vector<float> values(1000, 1.0F);
  values[0] = 4096.0F;
  const gpu::Array<float> x = upload(on, values, "x");
  EXPECT_EQ(gpu::norm2_squared(on, x.view()), 16777216.0 + 999.0);
}

TEST_P(VectorOps, EmptyVectorsWork) {
  gpu::Array<double> x(device(), 0, "x");
  gpu::fill(device(), x.view(), 1.0);
  gpu::scale(device(), 2.0, x.view());
  EXPECT_EQ(gpu::norm2_squared(device(), x.view()), 0.0);
}

TRESTLE_ON_EACH_DEVICE(VectorOps);

}  // namespace
}  // namespace trestle::test
