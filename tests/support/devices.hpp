// The devices that tests run on: cpu and debug everywhere, cuda where there is one.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "gpu/device.hpp"

namespace trestle::test {

/// The communicator of all ranks of the test program.
const Comm& world();

/// Names for the parameter of a test: "cpu", "debug_unified", "debug_device", "cuda_unified",
/// "cuda_device".
std::vector<std::string> device_names();
/// The device of that name; skips the test (GTEST_SKIP in the fixture) when this machine has no
/// such device.
gpu::Device device_named(const std::string& name);
bool device_available(const std::string& name);

/// A test that runs once per device: TEST_P(SomeTest, ...) { device() ... }.
class OnEachDevice : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!device_available(GetParam())) GTEST_SKIP() << "no " << GetParam() << " on this machine";
    device_ = device_named(GetParam());
  }
  /// The same device throughout one test.
  const gpu::Device& device() const { return *device_; }

 private:
  std::optional<gpu::Device> device_;
};

}  // namespace trestle::test

/// Instantiates a fixture derived from OnEachDevice for every device.
#define TRESTLE_ON_EACH_DEVICE(fixture)                                                        \
  INSTANTIATE_TEST_SUITE_P(Devices, fixture, testing::ValuesIn(trestle::test::device_names()), \
                           [](const auto& info) { return info.param; })
