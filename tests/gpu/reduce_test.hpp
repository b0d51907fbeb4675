// The reductions that reduce_test.cpp checks; kernels live in a .cu file.
#pragma once

#include <array>

#include "gpu/device.hpp"
#include "gpu/view.hpp"

namespace trestle::test {

double sum_of(const gpu::Device& device, gpu::View<const double, 1> x);
double maximum_of(const gpu::Device& device, gpu::View<const double, 1> x);
/// y += 2 x; the sums of y_i (afterwards) and of x_i y_i.
std::array<double, 2> add_twice_and_sum(const gpu::Device& device, gpu::View<const double, 1> x,
                                        gpu::View<double, 1> y);
/// The same in three passes.
std::array<double, 2> add_twice_then_sum(const gpu::Device& device, gpu::View<const double, 1> x,
                                         gpu::View<double, 1> y);

}  // namespace trestle::test
