// The cpu device: work runs where it is called, memory is the host's.
#include <cstring>

#include "gpu/device.hpp"

namespace trestle::gpu {
namespace {

class CpuDevice final : public DeviceState {
 public:
  CpuDevice() : DeviceState(DeviceKind::cpu, Memory::unified) {}
  std::string name() const override { return "cpu"; }
  void synchronize() override {}
  void* allocate(std::size_t bytes, std::string_view item, Memory) override {
    return allocate_host(bytes, item);
  }
  void release(void* block) override { release_host(block); }
  void copy_on_device(void* to, const void* from, std::size_t bytes) override {
    std::memmove(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    std::memmove(to, from, bytes);
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) override {
    std::memmove(to, from, bytes);
  }
  bool host_reaches_memory() const override { return true; }
};

}  // namespace

Device make_cpu_device() { return Device(std::make_shared<CpuDevice>()); }

}  // namespace trestle::gpu
