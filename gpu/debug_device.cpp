#include "gpu/device.hpp"

namespace trestle::gpu {
Device make_debug_device(Memory) { return make_cpu_device(); }
}  // namespace trestle::gpu
