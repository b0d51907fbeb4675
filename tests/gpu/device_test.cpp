#include "gpu/device.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "gpu/array.hpp"
#include "gpu/cusparse.hpp"
#include "gpu/gpu_aware_mpi.hpp"
#include "gpu/monitor.hpp"
#include "gpu/stream_bandwidth.hpp"
#include "gpu/vector_ops.hpp"
#include "tests/gpu/random.hpp"
#include "tests/support/address_space.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

using gpu::Array;

class DeviceTest : public OnEachDevice {};

TEST_P(DeviceTest, WhatTheHostWritesIsWhatItReads) {
  const std::vector<double> values = random_values<double>(12345, 1);
  Array<double> x(device(), 12345, "x");
  {
    const auto host = gpu::write(x);
    std::copy(values.begin(), values.end(), host.begin());
  }
  EXPECT_EQ(gpu::download(x), values);
  { gpu::write(x)[3] = 9; }
  const auto host = gpu::read(x);
  EXPECT_EQ(host[3], 9);
  EXPECT_EQ(host[4], values[4]);
}

TEST_P(DeviceTest, WritesComeBeforeTheWorkThatIsQueuedAfterThem) {
  Array<double> x(device(), 100, "x");
  {
    const auto host = gpu::write(x);
    std::fill(host.begin(), host.end(), 2.0);
  }
  gpu::scale(device(), 3.0, x.view());
  EXPECT_EQ(gpu::download(x), std::vector<double>(100, 6.0));
}

TEST_P(DeviceTest, MemoryIsAccountedByItemWithItsHighWater) {
  const gpu::MemoryAccount& account = device().account();
  const std::size_t before = account.total().bytes;
  {
    const Array<double> x(device(), 1000, "krylov");
    Array<float> y(device(), 500, "matrix");
    const Array<float> moved(std::move(y));
    EXPECT_EQ(account.total().bytes - before, 10000U);
  }
  EXPECT_EQ(account.total().bytes, before);
  EXPECT_EQ(account.items().at("krylov").peak, 8000U);
  EXPECT_EQ(account.items().at("krylov").bytes, 0U);
  EXPECT_EQ(account.items().at("matrix").peak, 2000U);
}

TEST_P(DeviceTest, BuffersForMpiAndFilesAreReadLikeOtherArrays) {
  Array<double> x(device(), 10, "buffer", gpu::Memory::device);
  gpu::fill(device(), x.view(), 4.0);
  EXPECT_EQ(gpu::download(x), std::vector<double>(10, 4.0));
}

TEST_P(DeviceTest, CopiedBytesAreCounted) {
  const auto before = device().copied_bytes();
  const Array<double> x = gpu::upload(device(), std::vector<double>(1000, 1.0), "x");
  EXPECT_EQ(device().copied_bytes().from_host - before.from_host, 8000U);
}

TEST_P(DeviceTest, EmptyArraysWork) {
  Array<double> x(device(), 0, "x");
  EXPECT_EQ(gpu::download(x).size(), 0U);
  { const auto host = gpu::write(x); }
  device().synchronize();
}

TEST_P(DeviceTest, BandwidthIsMeasuredAndItsMemoryFreed) {
  const std::size_t before = device().account().total().bytes;
  EXPECT_GT(gpu::measure_stream_bandwidth(device()), 0.0);
  EXPECT_EQ(device().account().total().bytes, before);
  EXPECT_EQ(device().account().items().at("bandwidth test").peak, std::size_t{3} << 26);
}

TEST(StreamBandwidth, IsMeasuredInTheMemoryThatThereIs) {
  const AddressSpace tight(rlim_t{50} << 20);
  EXPECT_GT(gpu::measure_stream_bandwidth(gpu::make_cpu_device()), 0.0);
}

TEST_P(DeviceTest, MonitorSeesCardsOnly) {
  const auto status = gpu::Monitor(device()).status();
  if (device().kind() != gpu::DeviceKind::cuda) {
    EXPECT_FALSE(status.has_value());
    return;
  }
  ASSERT_TRUE(status.has_value()) << "libnvidia-ml.so.1 comes with every driver";
  EXPECT_EQ(status->uuid, device().facts().uuid);
  EXPECT_EQ(status->compute_capability, device().facts().compute_capability);
  EXPECT_GT(status->bytes_used, 0U);
}

TEST_P(DeviceTest, GpuAwareMpiIsClaimedOnlyForCardsAndWithAReason) {
  const auto probe = gpu::probe_gpu_aware_mpi(device(), world());
  EXPECT_FALSE(probe.works && device().kind() != gpu::DeviceKind::cuda);
  EXPECT_FALSE(probe.reason.empty());
}

TRESTLE_ON_EACH_DEVICE(DeviceTest);

class CardTest : public OnEachDevice {};

TEST_P(CardTest, OutOfMemoryNamesItemBytesAskedAndBytesFree) {
  constexpr Offset asked = Offset{1} << 42;
  try {
    const Array<char> large(device(), asked, "Krylov vectors");
    FAIL() << "a card with 4 TiB";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.code(), ExitCode::gpu_memory);
    const std::string message = error.what();
    EXPECT_NE(message.find("Krylov vectors"), std::string::npos) << message;
    EXPECT_NE(message.find(std::to_string(asked)), std::string::npos) << message;
    EXPECT_NE(message.find(device().name()), std::string::npos) << message;
  }
  const Array<double> small = gpu::upload(device(), std::vector<double>{1}, "x");
  EXPECT_EQ(gpu::download(small)[0], 1) << "the card works on after that";
}

TEST_P(CardTest, FactsNameTheCardAndCuSparseIsFoundOrItsAbsenceExplained) {
  const gpu::DeviceFacts facts = device().facts();
  EXPECT_FALSE(facts.name.empty());
  EXPECT_TRUE(facts.uuid.starts_with("GPU-"));
  EXPECT_EQ(facts.uuid.size(), 40U);
  EXPECT_FALSE(facts.pci_address.empty());
  EXPECT_LE(facts.bytes_free, facts.bytes_total);
  EXPECT_FALSE(gpu::cusparse_availability().empty());
}

INSTANTIATE_TEST_SUITE_P(Devices, CardTest, testing::Values("cuda_unified", "cuda_device"),
                         [](const auto& info) { return info.param; });

TEST(CudaDevice, MissingCardIsExitCode69) {
  try {
    gpu::make_cuda_device(gpu::cuda_device_count());
    FAIL() << "a card beyond the last";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.code(), ExitCode::no_device);
    EXPECT_NE(std::string(error.what()).find("device: cpu"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace trestle::test
