// The memory bandwidth of a device, measured; the scale of the report's GB/s.
#pragma once

#include "gpu/device.hpp"

namespace trestle::gpu {

/// GB/s of the triad a = b + s c [McCalpin 1995, STREAM] over three arrays of 64 MiB of doubles, 24
/// bytes per entry; the best of eight runs after a first. The arrays are freed before it returns.
/// Waits for the device.
double measure_stream_bandwidth(const Device& device);

}  // namespace trestle::gpu
