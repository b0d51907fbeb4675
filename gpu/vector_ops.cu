#include "gpu/vector_ops.hpp"

#include "gpu/for_each.hpp"
#include "gpu/reduce.hpp"

namespace trestle::gpu {
namespace {

template <class Real>
struct Fill {
  View<Real, 1> x;
  Real value;
  TRESTLE_KERNEL void operator()(Offset i) const { x[i] = value; }
};

template <class From, class To>
struct Copy {
  View<const From, 1> x;
  View<To, 1> y;
  TRESTLE_KERNEL void operator()(Offset i) const { y[i] = static_cast<To>(x[i]); }
};

template <class From, class To>
struct Axpy {
  To a;
  View<const From, 1> x;
  View<To, 1> y;
  TRESTLE_KERNEL void operator()(Offset i) const { y[i] += a * static_cast<To>(x[i]); }
};

template <class Real>
struct Scale {
  Real a;
  View<Real, 1> x;
  TRESTLE_KERNEL void operator()(Offset i) const { x[i] *= a; }
};

template <class Real>
struct Product {
  View<const Real, 1> x;
  View<const Real, 1> y;
  TRESTLE_KERNEL double operator()(Offset i) const {
    return static_cast<double>(x[i]) * static_cast<double>(y[i]);
  }
};

template <class From, class To>
void run_copy(const Device& device, View<const From, 1> x, View<To, 1> y) {
  for_each(device, y.size(), Copy<From, To>{x, y});
}

template <class From, class To>
void run_axpy(const Device& device, double a, View<const From, 1> x, View<To, 1> y) {
  for_each(device, y.size(), Axpy<From, To>{static_cast<To>(a), x, y});
}

}  // namespace

void fill(const Device& device, View<float, 1> x, double value) {
  for_each(device, x.size(), Fill<float>{x, static_cast<float>(value)});
}
void fill(const Device& device, View<double, 1> x, double value) {
  for_each(device, x.size(), Fill<double>{x, value});
}

void copy(const Device& device, View<const float, 1> x, View<float, 1> y) {
  device.copy_on_device(y.data(), x.data(), static_cast<std::size_t>(y.size()) * sizeof(float));
}
void copy(const Device& device, View<const double, 1> x, View<double, 1> y) {
  device.copy_on_device(y.data(), x.data(), static_cast<std::size_t>(y.size()) * sizeof(double));
}
void copy(const Device& device, View<const double, 1> x, View<float, 1> y) {
  run_copy(device, x, y);
}
void copy(const Device& device, View<const float, 1> x, View<double, 1> y) {
  run_copy(device, x, y);
}

void axpy(const Device& device, double a, View<const float, 1> x, View<float, 1> y) {
  run_axpy(device, a, x, y);
}
void axpy(const Device& device, double a, View<const double, 1> x, View<double, 1> y) {
  run_axpy(device, a, x, y);
}
void axpy(const Device& device, double a, View<const float, 1> x, View<double, 1> y) {
  run_axpy(device, a, x, y);
}

void scale(const Device& device, double a, View<float, 1> x) {
  for_each(device, x.size(), Scale<float>{static_cast<float>(a), x});
}
void scale(const Device& device, double a, View<double, 1> x) {
  for_each(device, x.size(), Scale<double>{a, x});
}

double dot(const Device& device, View<const float, 1> x, View<const float, 1> y) {
  return sum(device, x.size(), Product<float>{x, y});
}
double dot(const Device& device, View<const double, 1> x, View<const double, 1> y) {
  return sum(device, x.size(), Product<double>{x, y});
}

double norm2_squared(const Device& device, View<const float, 1> x) { return dot(device, x, x); }
double norm2_squared(const Device& device, View<const double, 1> x) { return dot(device, x, x); }

}  // namespace trestle::gpu
