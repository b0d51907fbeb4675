// Vector operations of solvers and preconditioners, fused so that each vector is read once.
#pragma once

#include <array>

#include "gpu/device.hpp"
#include "gpu/view.hpp"

namespace trestle::solver {

/// d = a d + b z, x += d. Queued. Instantiated for float and double.
template <class Real>
void chebyshev_step(const gpu::Device& device, double a, double b, gpu::View<const Real, 1> z,
                    gpu::View<Real, 1> d, gpu::View<Real, 1> x);

/// y = a x, formed in double. Queued. Instantiated for both types on both sides.
template <class From, class To>
void scaled_copy(const gpu::Device& device, double a, gpu::View<const From, 1> x,
                 gpu::View<To, 1> y);

/// y = b - y. Queued.
void subtract_from(const gpu::Device& device, gpu::View<const double, 1> b, gpu::View<double, 1> y);

/// y = |x|. Queued.
void absolute(const gpu::Device& device, gpu::View<const double, 1> x, gpu::View<double, 1> y);

/// d = x + a d. Queued.
void correct(const gpu::Device& device, gpu::View<const double, 1> x, double a,
             gpu::View<double, 1> d);

/// Largest |x_i| of this rank, not a number when one of them is. Waits for the device.
double largest(const gpu::Device& device, gpu::View<const double, 1> x);
/// Least and greatest x_i of this rank. Waits for the device.
std::array<double, 2> range(const gpu::Device& device, gpu::View<const double, 1> x);
/// Sum of (x_i / unit)^2 of this rank. Waits for the device.
double scaled_squares(const gpu::Device& device, double unit, gpu::View<const double, 1> x);
/// How many x_i are not finite on this rank. Waits for the device.
template <class Real>
Offset count_not_finite(const gpu::Device& device, gpu::View<const Real, 1> x);

}  // namespace trestle::solver
