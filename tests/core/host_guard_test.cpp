// The guard that keeps device memory out of MPI and file calls.
#include "core/host_guard.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>

#include "core/error.hpp"
#include "tests/support/devices.hpp"

namespace trestle {
namespace {

/// Declares memory as a device's while it lives.
class Guarded {
 public:
  template <class T>
  explicit Guarded(std::span<T> memory) : begin_(memory.data()) {
    guard_device_memory(begin_, memory.size_bytes());
  }
  ~Guarded() { release_device_memory(begin_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

 private:
  const void* begin_;
};

TEST(HostGuard, RefusesEveryAddressOfTheRangeAndNoneBesideIt) {
  std::array<char, 48> memory{};
  EXPECT_NO_THROW(refuse_device_memory(&memory[16], "write"));
  const Guarded guard(std::span<char>(memory).subspan(16, 16));
  EXPECT_NO_THROW(refuse_device_memory(&memory[15], "write"));
  EXPECT_THROW(refuse_device_memory(&memory[16], "write"), Error);
  EXPECT_THROW(refuse_device_memory(&memory[31], "write"), Error);
  EXPECT_NO_THROW(refuse_device_memory(&memory[32], "write"));
}

TEST(HostGuard, LetsGoAfterRelease) {
  std::array<double, 4> device{};
  { const Guarded guard{std::span<double>(device)}; }
  EXPECT_NO_THROW(refuse_device_memory(device.data(), "write"));
}

TEST(HostGuard, NamesTheCallAndIsABug) {
  std::array<double, 4> device{};
  const Guarded guard{std::span<double>(device)};
  try {
    refuse_device_memory(&device[2], "MPI_Isend");
    FAIL() << "device memory was taken for host memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bug);
    EXPECT_NE(std::string(error.what()).find("MPI_Isend"), std::string::npos) << error.what();
  }
}

TEST(HostGuard, StopsASumOverRanksBeforeMpiSeesTheAddress) {
  std::array<double, 4> device{1, 2, 3, 4};
  const Guarded guard{std::span<double>(device)};
  EXPECT_THROW(test::world().sum(std::span<double>(device)), Error);
}

}  // namespace
}  // namespace trestle
