// Checks of kernels on a device against the cpu on random data: `trestle selftest --device X`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "gpu/device.hpp"

namespace trestle::gpu {

/// One row of the table.
struct KernelCheck {
  std::string name;
  double max_relative_difference = 0;  // largest difference over the largest expected value
  double allowed = 0;                  // what rounding may do
  bool ok = false;                     // false also for values that are not a number
};

/// The row for values of a device beside those of the cpu; shapes must agree.
KernelCheck compare_with_cpu(std::string name, std::span<const double> cpu,
                             std::span<const double> device, double allowed);

/// Every kernel of gpu/ on `device` beside the cpu: vector operations, reductions, halo, sparse
/// products, each in float and double, own and of cuSPARSE. Collective.
std::vector<KernelCheck> check_kernels(const Device& device, const Comm& comm);

}  // namespace trestle::gpu
