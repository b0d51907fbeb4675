// Operations on whole vectors of a device; entries are [i], all views of one call have one length.
#pragma once

#include "gpu/device.hpp"
#include "gpu/view.hpp"

namespace trestle::gpu {

/// x = value. These queue work and do not wait.
void fill(const Device& device, View<float, 1> x, double value);
void fill(const Device& device, View<double, 1> x, double value);

/// y = x, rounded or widened to y's type.
void copy(const Device& device, View<const float, 1> x, View<float, 1> y);
void copy(const Device& device, View<const double, 1> x, View<double, 1> y);
void copy(const Device& device, View<const double, 1> x, View<float, 1> y);
void copy(const Device& device, View<const float, 1> x, View<double, 1> y);

/// y += a x, computed in y's type.
void axpy(const Device& device, double a, View<const float, 1> x, View<float, 1> y);
void axpy(const Device& device, double a, View<const double, 1> x, View<double, 1> y);
void axpy(const Device& device, double a, View<const float, 1> x, View<double, 1> y);

/// x *= a.
void scale(const Device& device, double a, View<float, 1> x);
void scale(const Device& device, double a, View<double, 1> x);

/// Sum of x_i y_i of this rank, in double and in a fixed order. Waits for the device.
double dot(const Device& device, View<const float, 1> x, View<const float, 1> y);
double dot(const Device& device, View<const double, 1> x, View<const double, 1> y);

/// Sum of x_i^2 of this rank, in double and in a fixed order. Waits for the device.
double norm2_squared(const Device& device, View<const float, 1> x);
double norm2_squared(const Device& device, View<const double, 1> x);

}  // namespace trestle::gpu
