// Device: where work runs, its stream and its memory; a value that is passed, never global.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/types.hpp"
#include "gpu/memory_account.hpp"

namespace trestle::gpu {

enum class DeviceKind { cpu, debug, cuda };
enum class Memory { unified, device };

/// Where a cuda device keeps the partial results of a reduction; made with the device, so that a
/// reduction allocates nothing.
struct ReductionBuffers {
  static constexpr int max_sums = 2;  // that one pass may form
  double* partial = nullptr;          // [max_sums, n_partial], device
  Offset n_partial = 0;
  double* result = nullptr;       // [max_sums], device
  double* host_result = nullptr;  // [max_sums], pinned host
};

/// What the start table says of a device; empty where unknown or not a card.
struct DeviceFacts {
  std::string name;
  std::string uuid;                // "GPU-..." as nvidia-smi prints it
  std::string pci_address;         // "00000000:3B:00.0", by which the driver's tools know the card
  std::string compute_capability;  // "9.0"
  std::string built_for;           // "8.0 9.0 PTX 9.0": what this program holds code for
  std::size_t bytes_total = 0;
  std::size_t bytes_free = 0;
  std::string note;  // such as: unified memory was asked for and is not there
};

/// Bytes of queued copies between host and device so far.
struct CopiedBytes {
  std::size_t to_host = 0;
  std::size_t from_host = 0;
};

/// What a kind of device does; implemented in cpu_device.cpp, debug_device.cpp and cuda_device.cu.
class DeviceState;

/// A cheap value; copies share the stream and the memory. Work is in order: kernels and copies run
/// one after the other, and the host sees their effect only after `synchronize`.
class Device {
 public:
  explicit Device(std::shared_ptr<DeviceState> state);

  DeviceKind kind() const { return kind_; }
  Memory memory() const;
  /// "cpu", "debug", or the name of the card.
  std::string name() const;
  /// Waits for all queued work; throws SystemError (82) when the device failed.
  void synchronize() const;

  /// `bytes` of device memory, accounted under `item`; throws SystemError (83 on a GPU, 71 on the
  /// host) that names the item, the bytes asked and the bytes free. What MPI or a file call may
  /// touch is `Memory::device` also on a device with unified memory.
  void* allocate(std::size_t bytes, std::string_view item, Memory memory) const;
  void* allocate(std::size_t bytes, std::string_view item) const {
    return allocate(bytes, item, memory());
  }
  /// Gives memory back once the work queued so far is done.
  void release(void* memory, std::size_t bytes, std::string_view item) const;

  /// Host buffer from which and to which copies run at full speed (pinned on a GPU).
  void* allocate_host(std::size_t bytes, std::string_view item) const;
  /// Gives it back once the work queued so far is done.
  void release_host(void* memory, std::size_t bytes, std::string_view item) const;

  /// Queued copies: [device], [host] say where each side lies. The host side must live until
  /// `synchronize`.
  void copy_on_device(void* to, const void* from, std::size_t bytes) const;
  void copy_to_host(void* to_host, const void* from_device, std::size_t bytes) const;
  void copy_from_host(void* to_device, const void* from_host, std::size_t bytes) const;

  /// Whether the host may touch memory of the device's own kind itself after a `synchronize` (cpu;
  /// cuda with unified memory).
  bool host_reaches_memory() const;
  /// Queues a closure that runs on the host side of a `debug` device with its memory open.
  void enqueue(std::function<void()> work) const;
  /// cudaStream_t of a cuda device, else null.
  void* stream() const;
  DeviceFacts facts() const;
  /// Of a cuda device, else empty.
  ReductionBuffers reduction_buffers() const;
  const CopiedBytes& copied_bytes() const;
  /// Where gpu/cusparse.cpp keeps its handle for this device.
  std::shared_ptr<void>& sparse_library() const;
  /// Memory of this device and host memory that serves it, on this rank.
  MemoryAccount& account() const;
  MemoryAccount& host_account() const;

 private:
  std::shared_ptr<DeviceState> state_;
  DeviceKind kind_;
};

Device make_cpu_device();
/// The strict stand-in for a GPU (docs/devices.md): protected memory, queued work.
Device make_debug_device(Memory memory = Memory::unified);
/// CUDA device `ordinal`; throws SystemError (69) when there is none or this build has no CUDA.
Device make_cuda_device(int ordinal, Memory memory = Memory::unified);
/// Number of CUDA devices that this process can use; 0 without driver, without CUDA or in a build
/// without it.
int cuda_device_count();

/// The error of a full device: names the item, the bytes asked and free, and what to do.
SystemError out_of_device_memory(std::string_view item, std::size_t bytes, std::size_t bytes_free,
                                 const std::string& device);

class DeviceState {
 public:
  explicit DeviceState(DeviceKind kind, Memory memory) : kind(kind), memory(memory) {}
  virtual ~DeviceState() = default;
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  virtual std::string name() const = 0;
  virtual void synchronize() = 0;
  virtual void* allocate(std::size_t bytes, std::string_view item, Memory memory) = 0;
  virtual void release(void* memory) = 0;
  virtual void* allocate_host(std::size_t bytes, std::string_view item);
  virtual void release_host(void* memory);
  virtual void copy_on_device(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_to_host(void* to_host, const void* from_device, std::size_t bytes) = 0;
  virtual void copy_from_host(void* to_device, const void* from_host, std::size_t bytes) = 0;
  virtual bool host_reaches_memory() const = 0;
  virtual void enqueue(std::function<void()> work);
  virtual void* stream() const { return nullptr; }
  virtual DeviceFacts facts() const { return {.name = name()}; }
  virtual ReductionBuffers reduction_buffers() const { return {}; }

  const DeviceKind kind;
  const Memory memory;
  MemoryAccount account;
  MemoryAccount host_account;
  CopiedBytes copied;
  std::shared_ptr<void> sparse_library;
};

}  // namespace trestle::gpu
