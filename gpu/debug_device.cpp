// The debug device: a strict stand-in for a GPU on the CPU (docs/devices.md).
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "core/host_guard.hpp"
#include "gpu/device.hpp"
#include "gpu/free_list.hpp"
#include "gpu/protected_memory.hpp"

namespace trestle::gpu {
namespace {

constexpr std::size_t arena_bytes = std::size_t{16} << 30;
constexpr std::size_t worth_discarding = std::size_t{1} << 20;

class DebugDevice final : public DeviceState {
 public:
  explicit DebugDevice(Memory wanted) : DeviceState(DeviceKind::debug, wanted) {
    guard_device_memory(arena_.begin(), arena_.size());
  }
  ~DebugDevice() override {
    for (const Task& task : queue_)
      if (task.is_release) task.work();
    release_device_memory(arena_.begin());
  }

  std::string name() const override { return "debug"; }
  bool host_reaches_memory() const override { return false; }

  void synchronize() override {
    const ProtectedMemory::Open open(arena_);
    std::exception_ptr failure;
    while (!queue_.empty())
      for (const Task& task : std::exchange(queue_, {})) {
        if (failure && !task.is_release) continue;
        try {
          task.work();
        } catch (...) {
          failure = std::current_exception();
        }
      }
    if (failure) std::rethrow_exception(failure);
  }

  void* allocate(std::size_t bytes, std::string_view item, Memory) override {
    auto offset = blocks_.allocate(bytes);
    if (!offset) {
      synchronize();  // releases are queued
      offset = blocks_.allocate(bytes);
    }
    if (!offset) throw out_of_device_memory(item, bytes, blocks_.bytes_free(), name());
    arena_.commit(*offset + bytes);
    const ProtectedMemory::Open open(arena_);
    // All bits set: not a number in float and double, -1 in integers.
    std::memset(arena_.begin() + *offset, 0xFF, bytes);
    return arena_.begin() + *offset;
  }

  void release(void* memory_block) override {
    const auto offset =
        static_cast<std::size_t>(static_cast<std::byte*>(memory_block) - arena_.begin());
    queue_release([this, offset] {
      const std::size_t bytes = blocks_.release(offset);
      if (bytes >= worth_discarding) arena_.discard(offset, bytes);
    });
  }
  void release_host(void* memory_block) override {
    queue_release([this, memory_block] { DeviceState::release_host(memory_block); });
  }

  void copy_on_device(void* to, const void* from, std::size_t bytes) override {
    enqueue([=] { std::memmove(to, from, bytes); });
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    enqueue([=] { std::memmove(to, from, bytes); });
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) override {
    enqueue([=] { std::memmove(to, from, bytes); });
  }
  void enqueue(std::function<void()> work) override { queue_.push_back({std::move(work), false}); }

 private:
  struct Task {
    std::function<void()> work;
    bool is_release;  // runs even after a failure
  };
  void queue_release(std::function<void()> work) { queue_.push_back({std::move(work), true}); }

  ProtectedMemory arena_{arena_bytes};
  FreeList blocks_{arena_bytes};
  std::vector<Task> queue_;
};

}  // namespace

Device make_debug_device(Memory memory) { return Device(std::make_shared<DebugDevice>(memory)); }

}  // namespace trestle::gpu
