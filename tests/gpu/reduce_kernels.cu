#include "gpu/for_each.hpp"
#include "gpu/reduce.hpp"
#include "tests/gpu/reduce_test.hpp"

namespace trestle::test {
namespace {

struct Entry {
  gpu::View<const double, 1> x;
  TRESTLE_KERNEL double operator()(Offset i) const { return x[i]; }
};

struct AddTwice {
  gpu::View<const double, 1> x;
  gpu::View<double, 1> y;
  TRESTLE_KERNEL void operator()(Offset i) const { y[i] += 2 * x[i]; }
};

struct Product {
  gpu::View<const double, 1> x, y;
  TRESTLE_KERNEL double operator()(Offset i) const { return x[i] * y[i]; }
};

}  // namespace

double sum_of(const gpu::Device& device, gpu::View<const double, 1> x) {
  return gpu::sum(device, x.size(), Entry{x});
}
double maximum_of(const gpu::Device& device, gpu::View<const double, 1> x) {
  return gpu::maximum(device, x.size(), Entry{x});
}
std::array<double, 2> add_twice_and_sum(const gpu::Device& device, gpu::View<const double, 1> x,
                                        gpu::View<double, 1> y) {
  return gpu::update_and_sum(device, x.size(), AddTwice{x, y}, Entry{y}, Product{x, y});
}
std::array<double, 2> add_twice_then_sum(const gpu::Device& device, gpu::View<const double, 1> x,
                                         gpu::View<double, 1> y) {
  gpu::for_each(device, x.size(), AddTwice{x, y});
  return {gpu::sum(device, x.size(), Entry{y}), gpu::sum(device, x.size(), Product{x, y})};
}

}  // namespace trestle::test
