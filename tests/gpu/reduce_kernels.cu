#include "gpu/reduce.hpp"
#include "tests/gpu/reduce_test.hpp"

namespace trestle::test {
namespace {

struct Entry {
  gpu::View<const double, 1> x;
  TRESTLE_KERNEL double operator()(Offset i) const { return x[i]; }
};

}  // namespace

double sum_of(const gpu::Device& device, gpu::View<const double, 1> x) {
  return gpu::sum(device, x.size(), Entry{x});
}
double maximum_of(const gpu::Device& device, gpu::View<const double, 1> x) {
  return gpu::maximum(device, x.size(), Entry{x});
}

}  // namespace trestle::test
