// Reductions: sum and maximum of kernel(i) over i in [0, n), in a fixed order, alone or on the way
// of an update. Include it from .cu files.
#pragma once

#include <algorithm>
#include <array>
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

/// What a reduction that only reads does to each index beforehand.
struct NoUpdate {
  TRESTLE_KERNEL void operator()(Offset) const {}
};

/// Eight accumulators, which vectorise.
template <class Operation, class Term>
double reduce_block_on_host(Offset begin, Offset end, const Term& term) {
  constexpr int width = 8;
  const Operation combine;
  const Offset whole = begin + (end - begin) / width * width;
  double partial[width];
  for (double& p : partial) p = Operation::neutral;
  for (Offset i = begin; i < whole; i += width)
    for (int k = 0; k < width; ++k) partial[k] = combine(partial[k], term(i + k));
  for (Offset i = whole; i < end; ++i) partial[i - whole] = combine(partial[i - whole], term(i));
  for (int half = width / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) partial[k] = combine(partial[k], partial[k + half]);
  return partial[0];
}

/// Blocks of 4096 indices in order, small enough that the terms find in the cache what the update
/// wrote: each loop by itself vectorises, one that stores and sums would not.
template <class Operation, class Update, class... Terms>
std::array<double, sizeof...(Terms)> reduce_on_host(Offset n, const Update& update,
                                                    const Terms&... terms) {
  constexpr Offset block = 4096;
  const Operation combine;
  std::array<double, sizeof...(Terms)> totals;
  totals.fill(Operation::neutral);
  for (Offset begin = 0; begin < n; begin += block) {
    const Offset end = std::min(begin + block, n);
    for (Offset i = begin; i < end; ++i) update(i);
    std::size_t at = 0;
    ((totals[at] = combine(totals[at], reduce_block_on_host<Operation>(begin, end, terms)), ++at),
     ...);
  }
  return totals;
}

/// Waits for the device.
template <class Operation, class Update, class... Terms>
std::array<double, sizeof...(Terms)> reduce(const Device& device, Offset n, const Update& update,
                                            const Terms&... terms) {
  std::array<double, sizeof...(Terms)> results;
  switch (device.kind()) {
    case DeviceKind::cpu:
      results = reduce_on_host<Operation>(n, update, terms...);
      break;
    case DeviceKind::debug:
      device.enqueue([&results, n, update, terms...] {
        results = reduce_on_host<Operation>(n, update, terms...);
      });
      device.synchronize();
      break;
    case DeviceKind::cuda:
      results = launch_reduction<Operation>(device, n, update, terms...);
      break;
  }
  return results;
}

/// Sum of kernel(i), accumulated in double; the same bits every time on one device. Waits for the
/// device.
template <class Kernel>
double sum(const Device& device, Offset n, const Kernel& kernel) {
  return reduce<Plus>(device, n, NoUpdate{}, kernel)[0];
}

/// The sums of several terms (up to ReductionBuffers::max_sums) in one pass over memory, each with
/// the bits that `sum` gives it. Waits for the device.
template <class... Terms>
std::array<double, sizeof...(Terms)> sums(const Device& device, Offset n, const Terms&... terms) {
  return reduce<Plus>(device, n, NoUpdate{}, terms...);
}

/// Runs update(i), as `for_each` does, and sums the terms, in one pass over memory: term(i) may
/// read what update(i) wrote, and nothing else that the update writes. The bits are those of
/// `for_each` and `sum` one after the other. Waits for the device.
template <class Update, class... Terms>
std::array<double, sizeof...(Terms)> update_and_sum(const Device& device, Offset n,
                                                    const Update& update, const Terms&... terms) {
  return reduce<Plus>(device, n, update, terms...);
}

/// Largest kernel(i), minus infinity for n = 0, not a number when one of them is. Waits for the
/// device.
template <class Kernel>
double maximum(const Device& device, Offset n, const Kernel& kernel) {
  return reduce<Larger>(device, n, NoUpdate{}, kernel)[0];
}

}  // namespace trestle::gpu
