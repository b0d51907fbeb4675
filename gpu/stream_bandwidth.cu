#include "gpu/stream_bandwidth.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "gpu/for_each.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::gpu {
namespace {

struct Triad {
  View<const double, 1> b;
  View<const double, 1> c;
  View<double, 1> a;
  double s;
  TRESTLE_KERNEL void operator()(Offset i) const { a[i] = b[i] + s * c[i]; }
};

}  // namespace

StreamTriad::StreamTriad(const Device& device, Offset n_entries)
    : a_(device, n_entries, "bandwidth test"),
      b_(device, n_entries, "bandwidth test"),
      c_(device, n_entries, "bandwidth test") {
  for (Array<double>* x : {&a_, &b_, &c_}) fill(device, x->view(), 1.0);
}

void StreamTriad::run() {
  for_each(a_.device(), a_.size(),
           Triad{std::as_const(b_).view(), std::as_const(c_).view(), a_.view(), 0.5});
}

namespace {

/// As long as the memory that is left allows: no run fails for the sake of a measure.
StreamTriad longest_triad(const Device& device) {
  for (Offset n = StreamTriad::long_enough; n > 1; n /= 2) {
    try {
      return StreamTriad(device, n);
    } catch (const SystemError&) {  // there is not so much left
    }
  }
  return StreamTriad(device, 1);
}

}  // namespace

double measure_stream_bandwidth(const Device& device) {
  StreamTriad triad = longest_triad(device);
  double best_s = std::numeric_limits<double>::infinity();
  for (int run = 0; run <= 3; ++run) {
    device.synchronize();
    const auto start = std::chrono::steady_clock::now();
    triad.run();
    device.synchronize();
    const double s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (run > 0) best_s = std::min(best_s, s);
  }
  return triad.bytes() / best_s * 1e-9;
}

}  // namespace trestle::gpu
