// Reductions: sum and maximum of kernel(i) over i in [0, n), in a fixed order. Include it from .cu
// files.
#pragma once

#include <algorithm>
#include <limits>

#include "core/types.hpp"
#include "gpu/device.hpp"
#include "gpu/launch.hpp"

namespace trestle::gpu {

struct Plus {
  static constexpr double neutral = 0;
  TRESTLE_KERNEL double operator()(double a, double b) const { return a + b; }
};

/// Not a number wins over every number.
struct Larger {
  static constexpr double neutral = -std::numeric_limits<double>::infinity();
  TRESTLE_KERNEL double operator()(double a, double b) const { return b > a || b != b ? b : a; }
};

/// Blocks of 4096 indices with eight accumulators each, which vectorise; then the blocks in order.
template <class Operation, class Kernel>
double reduce_on_host(Offset n, const Kernel& kernel) {
  constexpr Offset block = 4096;
  constexpr int width = 8;
  const Operation combine;
  double total = Operation::neutral;
  for (Offset begin = 0; begin < n; begin += block) {
    const Offset end = std::min(begin + block, n);
    const Offset whole = begin + (end - begin) / width * width;
    double partial[width];
    for (double& p : partial) p = Operation::neutral;
    for (Offset i = begin; i < whole; i += width)
      for (int k = 0; k < width; ++k) partial[k] = combine(partial[k], kernel(i + k));
    for (Offset i = whole; i < end; ++i)
      partial[i - whole] = combine(partial[i - whole], kernel(i));
    for (int half = width / 2; half > 0; half /= 2)
      for (int k = 0; k < half; ++k) partial[k] = combine(partial[k], partial[k + half]);
    total = combine(total, partial[0]);
  }
  return total;
}

/// Waits for the device.
template <class Operation, class Kernel>
double reduce(const Device& device, Offset n, const Kernel& kernel) {
  double result = Operation::neutral;
  switch (device.kind()) {
    case DeviceKind::cpu:
      result = reduce_on_host<Operation>(n, kernel);
      break;
    case DeviceKind::debug:
      device.enqueue([&result, n, kernel] { result = reduce_on_host<Operation>(n, kernel); });
      device.synchronize();
      break;
    case DeviceKind::cuda:
      result = launch_reduction<Operation>(device, n, kernel);
      break;
  }
  return result;
}

/// Sum of kernel(i), accumulated in double; the same bits every time on one device. Waits for the
/// device.
template <class Kernel>
double sum(const Device& device, Offset n, const Kernel& kernel) {
  return reduce<Plus>(device, n, kernel);
}

/// Largest kernel(i), minus infinity for n = 0, not a number when one of them is. Waits for the
/// device.
template <class Kernel>
double maximum(const Device& device, Offset n, const Kernel& kernel) {
  return reduce<Larger>(device, n, kernel);
}

}  // namespace trestle::gpu
