#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "core/error.hpp"
#include "core/host_guard.hpp"
#include "gpu/array.hpp"
#include "gpu/vector_ops.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

using gpu::Array;
using gpu::Device;

TEST(DebugDevice, HostCannotReadOrWriteAnArrayItself) {
  const Device device = gpu::make_debug_device();
  Array<double> x = gpu::upload(device, std::vector<double>{1, 2, 3}, "x");
  const volatile double* const address = x.data();
  EXPECT_DEATH((void)*address, "");
  EXPECT_DEATH(x.data()[1] = 5, "");
  EXPECT_DEATH([[maybe_unused]] const volatile double entry = x.view()[2], "");
  EXPECT_EQ(gpu::download(x), (std::vector<double>{1, 2, 3}));
  EXPECT_DEATH((void)*address, "") << "still closed after work has run";
}

TEST(DebugDevice, FreshArraysAreNotANumber) {
  const Device device = gpu::make_debug_device();
  {
    Array<double> before(device, 100, "x");
    gpu::fill(device, before.view(), 1.0);
    device.synchronize();
  }
  device.synchronize();
  const Array<double> x(device, 100, "x");
  const Array<float> y(device, 100, "y");
  for (double v : gpu::download(x)) ASSERT_TRUE(std::isnan(v));
  for (float v : gpu::download(y)) ASSERT_TRUE(std::isnan(v));
}

TEST(DebugDevice, KernelsRunOnlyAtASynchronisation) {
  const Device device = gpu::make_debug_device();
  int runs = 0;
  device.enqueue([&] { ++runs; });
  EXPECT_EQ(runs, 0);
  device.synchronize();
  EXPECT_EQ(runs, 1);
  device.synchronize();
  EXPECT_EQ(runs, 1);
}

TEST(DebugDevice, MissingWaitAfterACopyToTheHostShowsStaleData) {
  const Device device = gpu::make_debug_device();
  const Array<double> x = gpu::upload(device, std::vector<double>{7}, "x");
  double on_host = -1;
  device.copy_to_host(&on_host, x.data(), sizeof(double));
  EXPECT_EQ(on_host, -1) << "the copy ran without a wait";
  device.synchronize();
  EXPECT_EQ(on_host, 7);
}

TEST(DebugDevice, HostBufferThatChangesTooEarlyShowsInTheCopy) {
  const Device device = gpu::make_debug_device();
  Array<double> x(device, 1, "x");
  double on_host = 1;
  device.copy_from_host(x.data(), &on_host, sizeof(double));
  on_host = 2;
  EXPECT_EQ(gpu::download(x)[0], 2);
}

TEST(DebugDevice, WorkRunsInTheOrderOfItsQueueing) {
  const Device device = gpu::make_debug_device();
  Array<double> x(device, 4, "x"), y(device, 4, "y");
  gpu::fill(device, x.view(), 3.0);
  gpu::copy(device, std::as_const(x).view(), y.view());
  gpu::fill(device, x.view(), 4.0);
  gpu::axpy(device, 2.0, std::as_const(x).view(), y.view());
  EXPECT_EQ(gpu::download(y), (std::vector<double>(4, 11.0)));
}

TEST(DebugDevice, ArrayMayBeFreedWhileWorkOnItIsQueued) {
  const Device device = gpu::make_debug_device();
  Array<double> y(device, 1000, "y");
  {
    Array<double> x(device, 1000, "x");
    gpu::fill(device, x.view(), 3.0);
    gpu::copy(device, std::as_const(x).view(), y.view());
  }
  const Array<double> other(device, 1000, "other");  // must not take the place of x yet
  EXPECT_EQ(gpu::download(y), (std::vector<double>(1000, 3.0)));
}

TEST(DebugDevice, ErrorInQueuedWorkSurfacesAtTheSynchronisationAndEndsWhatFollows) {
  const Device device = gpu::make_debug_device();
  bool ran = false;
  device.enqueue([] { throw std::runtime_error("kernel failed"); });
  device.enqueue([&] { ran = true; });
  EXPECT_THROW(device.synchronize(), std::runtime_error);
  EXPECT_FALSE(ran);
  const Array<double> x = gpu::upload(device, std::vector<double>{1}, "x");
  EXPECT_EQ(gpu::download(x)[0], 1);
  const volatile double* const address = x.data();
  EXPECT_DEATH((void)*address, "");
}

TEST(DebugDevice, CommRefusesItsAddresses) {
  const Device device = gpu::make_debug_device();
  Array<double> x = gpu::upload(device, std::vector<double>{1, 2}, "x");
  EXPECT_THROW(world().sum(std::span<double>(x.data(), 2)), Error);
  EXPECT_THROW(refuse_device_memory(x.data() + 1, "pwrite"), Error);
  double host = 1;
  EXPECT_NO_THROW(refuse_device_memory(&host, "pwrite"));
}

TEST(DebugDevice, HostBuffersArePlainMemory) {
  const Device device = gpu::make_debug_device();
  auto* const buffer = static_cast<double*>(device.allocate_host(2 * sizeof(double), "buffer"));
  buffer[0] = buffer[1] = world().rank();
  world().sum(std::span<double>(buffer, 2));
  EXPECT_EQ(buffer[1], world().size() * (world().size() - 1) / 2.0);
  device.release_host(buffer, 2 * sizeof(double), "buffer");
}

TEST(DebugDevice, OutOfMemoryNamesItemBytesAskedAndBytesFree) {
  const Device device = gpu::make_debug_device();
  const Array<char> small(device, 256, "small");
  constexpr Offset asked = Offset{16} << 30;
  try {
    const Array<char> large(device, asked, "Krylov vectors");
    FAIL() << "17179869184 bytes were found in an arena that holds less";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.code(), ExitCode::gpu_memory);
    const std::string message = error.what();
    EXPECT_NE(message.find("Krylov vectors"), std::string::npos) << message;
    EXPECT_NE(message.find(std::to_string(asked)), std::string::npos) << message;
    EXPECT_NE(message.find(std::to_string(asked - 256)), std::string::npos) << message;
  }
  EXPECT_EQ(device.account().total().bytes, 256U);
}

}  // namespace
}  // namespace trestle::test
