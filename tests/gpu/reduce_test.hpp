// The reductions that reduce_test.cpp checks; kernels live in a .cu file.
#pragma once

#include "gpu/device.hpp"
#include "gpu/view.hpp"

namespace trestle::test {

double sum_of(const gpu::Device& device, gpu::View<const double, 1> x);
double maximum_of(const gpu::Device& device, gpu::View<const double, 1> x);

}  // namespace trestle::test
