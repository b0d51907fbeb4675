// The cuda device: one card, one stream, unified or plain device memory, pinned host buffers.
#include "core/error.hpp"
#include "gpu/cuda_build.hpp"
#include "gpu/device.hpp"
#include "gpu/launch.hpp"
#include "gpu/pinned_pool.hpp"

#ifdef __CUDACC__

#include <algorithm>
#include <cstdio>
#include <unordered_map>

namespace trestle::gpu {

void check_cuda(int code, const char* what) {
  if (code == cudaSuccess) return;
  const auto error = static_cast<cudaError_t>(code);
  throw SystemError(ExitCode::gpu_fault, std::string(what) + " failed: " + cudaGetErrorName(error) +
                                             " (" + cudaGetErrorString(error) +
                                             "); see the driver's log (dmesg) and try "
                                             "`trestle selftest --device gpu`");
}

namespace {

constexpr Offset n_partial_sums = 1024;
constexpr int built_for[] = {__CUDA_ARCH_LIST__};  // 800, 900 ...

std::string capability(int major, int minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, ordinal), "cudaDeviceGetAttribute");
  return value;
}

/// Unified memory that host and card may not touch at the same time is no use here.
Memory possible_memory(int ordinal, Memory wanted) {
  return attribute(cudaDevAttrConcurrentManagedAccess, ordinal) != 0 ? wanted : Memory::device;
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned>(uuid.bytes[i]) & 0xFFU);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += hex;
  }
  return text;
}

void* pin(std::size_t bytes) {
  void* memory_block = nullptr;
  if (cudaMallocHost(&memory_block, bytes) == cudaSuccess) return memory_block;
  cudaGetLastError();
  return nullptr;
}
void unpin(void* memory_block) { cudaFreeHost(memory_block); }

class CudaDevice final : public DeviceState {
 public:
  CudaDevice(int ordinal, Memory wanted)
      : DeviceState(DeviceKind::cuda, possible_memory(ordinal, wanted)),
        ordinal_(ordinal),
        wanted_(wanted) {
    check_cuda(cudaSetDevice(ordinal), "cudaSetDevice");
    check_cuda(cudaGetDeviceProperties(&properties_, ordinal), "cudaGetDeviceProperties");
    require_built_code();
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    free_at_start_ = bytes_free_on_card();
    reduction_.n_partial = n_partial_sums;
    constexpr Offset n_sums = ReductionBuffers::max_sums;
    check_cuda(cudaMalloc(&reduction_.partial, n_sums * (n_partial_sums + 1) * sizeof(double)),
               "cudaMalloc");
    reduction_.result = reduction_.partial + n_sums * n_partial_sums;
    reduction_.host_result =
        static_cast<double*>(pinned_.allocate(n_sums * sizeof(double), "reduction"));
  }
  ~CudaDevice() override {
    cudaStreamSynchronize(stream_);
    sparse_library.reset();
    cudaFree(reduction_.partial);
    pinned_.release(reduction_.host_result);
    cudaStreamDestroy(stream_);
  }

  std::string name() const override { return properties_.name; }
  void synchronize() override { check_cuda(cudaStreamSynchronize(stream_), "work on the card"); }

  void* allocate(std::size_t bytes, std::string_view item, Memory where) override {
    const std::size_t available = bytes_available();
    void* memory_block = nullptr;
    cudaError_t code = cudaErrorMemoryAllocation;
    if (bytes <= available)
      code = where == Memory::unified && memory == Memory::unified
                 ? cudaMallocManaged(&memory_block, bytes)
                 : cudaMalloc(&memory_block, bytes);
    if (code == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw out_of_device_memory(item, bytes, available, name());
    }
    check_cuda(code, "cudaMalloc");
    sizes_.emplace(memory_block, bytes);
    allocated_ += bytes;
    return memory_block;
  }
  /// An error of the card stays and shows at the next synchronisation.
  void release(void* memory_block) override {
    cudaStreamSynchronize(stream_);
    cudaFree(memory_block);
    const auto size = sizes_.find(memory_block);
    allocated_ -= size->second;
    sizes_.erase(size);
  }
  void* allocate_host(std::size_t bytes, std::string_view item) override {
    return pinned_.allocate(bytes, item);
  }
  void release_host(void* memory_block) override {
    cudaStreamSynchronize(stream_);
    pinned_.release(memory_block);
  }

  void copy_on_device(void* to, const void* from, std::size_t bytes) override {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_),
               "copy on the card");
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_),
               "copy from the card");
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) override {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_),
               "copy to the card");
  }
  bool host_reaches_memory() const override { return memory == Memory::unified; }
  void enqueue(std::function<void()> work) override {
    synchronize();
    work();
  }
  void* stream() const override { return stream_; }
  ReductionBuffers reduction_buffers() const override { return reduction_; }

  DeviceFacts facts() const override {
    DeviceFacts facts;
    facts.name = properties_.name;
    facts.uuid = uuid_text(properties_.uuid);
    char address[32] = {};
    check_cuda(cudaDeviceGetPCIBusId(address, sizeof address, ordinal_), "cudaDeviceGetPCIBusId");
    facts.pci_address = address;
    facts.compute_capability = capability(properties_.major, properties_.minor);
    facts.built_for = cuda_built_for();
    facts.bytes_total = properties_.totalGlobalMem;
    facts.bytes_free = bytes_available();
    if (memory != wanted_)
      facts.note =
          "memory: device is used, because this card or driver has no concurrent access "
          "to unified memory";
    return facts;
  }

 private:
  void require_built_code() const {
    if (properties_.major * 100 + properties_.minor * 10 >= built_for[0]) return;
    throw SystemError(ExitCode::no_device, std::string(properties_.name) +
                                               " has compute capability " +
                                               capability(properties_.major, properties_.minor) +
                                               ", this program is built for " + cuda_built_for() +
                                               "; use device: cpu or build it for this card");
  }
  static std::size_t bytes_free_on_card() {
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
  }
  /// Unified memory takes its place on the card at first touch only: what was promised counts.
  std::size_t bytes_available() const {
    const std::size_t promised = std::min(free_at_start_, allocated_);
    return std::min(bytes_free_on_card(), free_at_start_ - promised);
  }

  int ordinal_;
  Memory wanted_;
  cudaDeviceProp properties_{};
  cudaStream_t stream_ = nullptr;
  std::size_t free_at_start_ = 0;
  std::size_t allocated_ = 0;
  std::unordered_map<void*, std::size_t> sizes_;
  PinnedPool pinned_{pin, unpin};
  ReductionBuffers reduction_;
};

}  // namespace

std::string cuda_built_for() {
  std::string text;
  for (int arch : built_for) text += capability(arch / 100, arch / 10 % 10) + " ";
  return text + "and PTX " +
         capability(std::end(built_for)[-1] / 100, std::end(built_for)[-1] / 10 % 10);
}

int cuda_device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

Device make_cuda_device(int ordinal, Memory memory) {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || ordinal < 0 || ordinal >= count) {
    cudaGetLastError();
    throw SystemError(ExitCode::no_device,
                      "there is no GPU " + std::to_string(ordinal) + " (" +
                          (code == cudaSuccess ? std::to_string(count) + " visible"
                                               : std::string(cudaGetErrorString(code))) +
                          "); see nvidia-smi, or use device: cpu");
  }
  return Device(std::make_shared<CudaDevice>(ordinal, memory));
}

}  // namespace trestle::gpu

#else

namespace trestle::gpu {

std::string cuda_built_for() { return ""; }

int cuda_device_count() { return 0; }

Device make_cuda_device(int ordinal, Memory) {
  throw SystemError(ExitCode::no_device, "there is no GPU " + std::to_string(ordinal) +
                                             " for this program, which was built without CUDA; "
                                             "use device: cpu or build it with nvcc on PATH");
}

}  // namespace trestle::gpu

#endif
