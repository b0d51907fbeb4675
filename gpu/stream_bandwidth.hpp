// The memory bandwidth of a device, measured; the scale of the report's GB/s.
#pragma once

#include "gpu/array.hpp"

namespace trestle::gpu {

/// The triad a = b + s c [McCalpin 1995, STREAM] over three arrays of 64 MiB of doubles.
class StreamTriad {
 public:
  static constexpr Offset n_entries = (Offset{64} << 20) / Offset{sizeof(double)};
  /// Of one run, 24 bytes per entry.
  static constexpr double bytes = 3.0 * sizeof(double) * static_cast<double>(n_entries);

  explicit StreamTriad(const Device& device);

  /// Queued.
  void run();

 private:
  Array<double> a_, b_, c_;
};

/// GB/s of StreamTriad, the best of eight runs after a first. The arrays are freed before it
/// returns. Waits for the device.
double measure_stream_bandwidth(const Device& device);

}  // namespace trestle::gpu
