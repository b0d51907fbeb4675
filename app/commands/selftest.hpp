// The selftest of a device: every kernel beside the CPU, from single operations to a solved
// problem.
#pragma once

#include <vector>

#include "core/comm.hpp"
#include "gpu/kernel_checks.hpp"

namespace trestle::app {

/// Rows of gpu/, then assembly, loads, constraints, fluxes and solves of small problems with every
/// kind of cell. Collective.
std::vector<gpu::KernelCheck> check_device(const Comm& comm, const gpu::Device& device);

}  // namespace trestle::app
