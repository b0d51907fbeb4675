#include "gpu/stream_bandwidth.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "gpu/array.hpp"
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

double measure_stream_bandwidth(const Device& device) {
  constexpr Offset n = (Offset{64} << 20) / Offset{sizeof(double)};
  Array<double> a(device, n, "bandwidth test");
  Array<double> b(device, n, "bandwidth test");
  Array<double> c(device, n, "bandwidth test");
  for (Array<double>* x : {&a, &b, &c}) fill(device, x->view(), 1.0);
  double best_s = std::numeric_limits<double>::infinity();
  for (int run = 0; run <= 8; ++run) {
    device.synchronize();
    const auto start = std::chrono::steady_clock::now();
    for_each(device, n, Triad{b.view(), c.view(), a.view(), 0.5});
    device.synchronize();
    const double s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (run > 0) best_s = std::min(best_s, s);
  }
  return 3.0 * sizeof(double) * static_cast<double>(n) / best_s * 1e-9;
}

}  // namespace trestle::gpu
