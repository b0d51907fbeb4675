#include "core/error.hpp"
#include "gpu/device.hpp"

namespace trestle::gpu {
int cuda_device_count() { return 0; }
Device make_cuda_device(int, Memory) { throw SystemError(ExitCode::no_device, "no CUDA device"); }
}  // namespace trestle::gpu
