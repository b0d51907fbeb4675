// The memory bandwidth of a device, measured; the scale of the report's GB/s.
#pragma once

#include "gpu/array.hpp"

namespace trestle::gpu {

/// The triad a = b + s c [McCalpin 1995, STREAM] over three arrays of doubles.
class StreamTriad {
 public:
  /// 64 MiB an array, more than caches hold.
  static constexpr Offset long_enough = (Offset{64} << 20) / Offset{sizeof(double)};

  StreamTriad(const Device& device, Offset n_entries);

  /// Queued.
  void run();
  /// Of one run, 24 an entry.
  double bytes() const { return 3.0 * static_cast<double>(a_.bytes()); }

 private:
  Array<double> a_, b_, c_;
};

/// GB/s of the triad over arrays that are long enough, or as long as memory allows: the best of
/// three runs after a first. The arrays are freed before it returns. Waits for the device.
double measure_stream_bandwidth(const Device& device);

}  // namespace trestle::gpu
