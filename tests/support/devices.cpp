#include "tests/support/devices.hpp"

namespace trestle::test {

std::vector<std::string> device_names() {
  return {"cpu", "debug_unified", "debug_device", "cuda_unified", "cuda_device"};
}

bool device_available(const std::string& name) {
  return !name.starts_with("cuda") || gpu::cuda_device_count() > 0;
}

gpu::Device device_named(const std::string& name) {
  const gpu::Memory memory = name.ends_with("device") ? gpu::Memory::device : gpu::Memory::unified;
  if (name.starts_with("debug")) return gpu::make_debug_device(memory);
  if (name.starts_with("cuda"))
    return gpu::make_cuda_device(world().local_rank() % gpu::cuda_device_count(), memory);
  return gpu::make_cpu_device();
}

}  // namespace trestle::test
