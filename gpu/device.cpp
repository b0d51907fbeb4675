#include "gpu/device.hpp"

#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "core/fault.hpp"

namespace trestle::gpu {

SystemError out_of_device_memory(std::string_view item, std::size_t bytes, std::size_t bytes_free,
                                 const std::string& device) {
  return SystemError(ExitCode::gpu_memory,
                     "out of device memory on " + device + ": " + std::string(item) +
                         " asked for " + std::to_string(bytes) + " bytes, " +
                         std::to_string(bytes_free) +
                         " are free; use more GPUs, a smaller mesh or precision: mixed");
}

void* DeviceState::allocate_host(std::size_t bytes, std::string_view item) {
  void* memory_block = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory_block == nullptr)
    throw SystemError(ExitCode::system,
                      "out of memory: " + std::string(item) + " asked for " +
                          std::to_string(bytes) +
                          " bytes on the host; use more ranks or nodes, or a smaller mesh");
  return memory_block;
}

void DeviceState::release_host(void* memory_block) { std::free(memory_block); }

void DeviceState::enqueue(std::function<void()> work) { work(); }

Device::Device(std::shared_ptr<DeviceState> state)
    : state_(std::move(state)), kind_(state_->kind) {}

Memory Device::memory() const { return state_->memory; }
std::string Device::name() const { return state_->name(); }

void Device::synchronize() const {
  if (fault_at("device:synchronize") == Fault::fail)
    throw SystemError(ExitCode::gpu_fault,
                      "the device " + name() + " failed: a fault on purpose; run again, elsewhere");
  state_->synchronize();
}

void* Device::allocate(std::size_t bytes, std::string_view item, Memory memory) const {
  if (bytes == 0) return nullptr;
  if (fault_at("device:allocate") == Fault::fail)
    throw out_of_device_memory(item, bytes, 0, name());
  void* memory_block = state_->allocate(bytes, item, memory);
  state_->account.add(item, bytes);
  return memory_block;
}

void Device::release(void* memory_block, std::size_t bytes, std::string_view item) const {
  if (memory_block == nullptr) return;
  state_->release(memory_block);
  state_->account.remove(item, bytes);
}

void* Device::allocate_host(std::size_t bytes, std::string_view item) const {
  if (bytes == 0) return nullptr;
  void* memory_block = state_->allocate_host(bytes, item);
  state_->host_account.add(item, bytes);
  return memory_block;
}

void Device::release_host(void* memory_block, std::size_t bytes, std::string_view item) const {
  if (memory_block == nullptr) return;
  state_->release_host(memory_block);
  state_->host_account.remove(item, bytes);
}

void Device::copy_on_device(void* to, const void* from, std::size_t bytes) const {
  if (bytes > 0) state_->copy_on_device(to, from, bytes);
}
void Device::copy_to_host(void* to_host, const void* from_device, std::size_t bytes) const {
  if (bytes == 0) return;
  state_->copied.to_host += bytes;
  state_->copy_to_host(to_host, from_device, bytes);
}
void Device::copy_from_host(void* to_device, const void* from_host, std::size_t bytes) const {
  if (bytes == 0) return;
  state_->copied.from_host += bytes;
  state_->copy_from_host(to_device, from_host, bytes);
}

bool Device::host_reaches_memory() const { return state_->host_reaches_memory(); }
void Device::enqueue(std::function<void()> work) const { state_->enqueue(std::move(work)); }
void* Device::stream() const { return state_->stream(); }
DeviceFacts Device::facts() const { return state_->facts(); }
ReductionBuffers Device::reduction_buffers() const { return state_->reduction_buffers(); }
const CopiedBytes& Device::copied_bytes() const { return state_->copied; }
std::shared_ptr<void>& Device::sparse_library() const { return state_->sparse_library; }
MemoryAccount& Device::account() const { return state_->account; }
MemoryAccount& Device::host_account() const { return state_->host_account; }

}  // namespace trestle::gpu
