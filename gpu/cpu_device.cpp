// The cpu device: work runs where it is called, memory is the host's.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "gpu/device.hpp"

namespace trestle::gpu {
namespace {

class CpuDevice final : public DeviceState {
 public:
  CpuDevice() : DeviceState(DeviceKind::cpu, Memory::unified) {}
  std::string name() const override { return "cpu"; }
  void synchronize() override {}
  /// Large arrays ask for huge pages: products with sparse matrices read at random places, and miss
  /// the table of small pages with almost every read.
  void* allocate(std::size_t bytes, std::string_view item, Memory) override {
    if (bytes < large) return allocate_host(bytes, item);
    const std::size_t rounded = (bytes + huge_page - 1) / huge_page * huge_page;
    void* block = std::aligned_alloc(huge_page, rounded);
    if (block == nullptr) return allocate_host(bytes, item);  // has the message
    madvise(block, rounded, MADV_HUGEPAGE);                   // a wish: no error matters
    return block;
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

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;
  static constexpr std::size_t large = 2 * huge_page;
};

}  // namespace

Device make_cpu_device() { return Device(std::make_shared<CpuDevice>()); }

}  // namespace trestle::gpu
