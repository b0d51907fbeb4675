// for_each: runs kernel(i) for i in [0, n) on a device, in one stream. Include it from .cu files.
#pragma once

#include "core/types.hpp"
#include "gpu/device.hpp"
#include "gpu/launch.hpp"

namespace trestle::gpu {

/// `kernel` is a small struct of views and numbers, copied by value; kernel(i) must not throw.
/// Different i may run in any order and at once, so they write to different places.
template <class Kernel>
void for_each(const Device& device, Offset n, const Kernel& kernel) {
  switch (device.kind()) {
    case DeviceKind::cpu:
      for (Offset i = 0; i < n; ++i) kernel(i);
      break;
    case DeviceKind::debug:
      device.enqueue([n, kernel] {
        for (Offset i = 0; i < n; ++i) kernel(i);
      });
      break;
    case DeviceKind::cuda:
      launch(device.stream(), n, kernel);
      break;
  }
}

}  // namespace trestle::gpu
