#include "solver/matrix/vector_kernels.hpp"

#include <cmath>

#include "gpu/for_each.hpp"
#include "gpu/reduce.hpp"

namespace trestle::solver {
namespace {

using gpu::View;

template <class Real>
struct ChebyshevStep {
  Real a, b;
  View<const Real, 1> z;
  View<Real, 1> d, x;
  TRESTLE_KERNEL void operator()(Offset i) const {
    const Real step = a * d[i] + b * z[i];
    d[i] = step;
    x[i] += step;
  }
};

template <class From, class To>
struct ScaledCopy {
  double a;
  View<const From, 1> x;
  View<To, 1> y;
  TRESTLE_KERNEL void operator()(Offset i) const {
    y[i] = static_cast<To>(a * static_cast<double>(x[i]));
  }
};

struct SubtractFrom {
  View<const double, 1> b;
  View<double, 1> y;
  TRESTLE_KERNEL void operator()(Offset i) const { y[i] = b[i] - y[i]; }
};

struct Absolute {
  View<const double, 1> x;
  View<double, 1> y;
  TRESTLE_KERNEL void operator()(Offset i) const { y[i] = fabs(x[i]); }
};

struct Correct {
  View<const double, 1> x;
  double a;
  View<double, 1> d;
  TRESTLE_KERNEL void operator()(Offset i) const { d[i] = x[i] + a * d[i]; }
};

struct Multiple {
  double factor;
  View<const double, 1> x;
  TRESTLE_KERNEL double operator()(Offset i) const { return factor * x[i]; }
};

struct Magnitude {
  View<const double, 1> x;
  TRESTLE_KERNEL double operator()(Offset i) const { return fabs(x[i]); }
};

struct ScaledSquare {
  double unit;
  View<const double, 1> x;
  TRESTLE_KERNEL double operator()(Offset i) const {
    const double value = x[i] / unit;
    return value * value;
  }
};

template <class Real>
struct NotFinite {
  View<const Real, 1> x;
  TRESTLE_KERNEL double operator()(Offset i) const { return x[i] - x[i] == Real{0} ? 0 : 1; }
};

}  // namespace

template <class Real>
void chebyshev_step(const gpu::Device& device, double a, double b, View<const Real, 1> z,
                    View<Real, 1> d, View<Real, 1> x) {
  gpu::for_each(device, x.size(),
                ChebyshevStep<Real>{static_cast<Real>(a), static_cast<Real>(b), z, d, x});
}

template <class From, class To>
void scaled_copy(const gpu::Device& device, double a, View<const From, 1> x, View<To, 1> y) {
  gpu::for_each(device, y.size(), ScaledCopy<From, To>{a, x, y});
}

void subtract_from(const gpu::Device& device, View<const double, 1> b, View<double, 1> y) {
  gpu::for_each(device, y.size(), SubtractFrom{b, y});
}

void absolute(const gpu::Device& device, View<const double, 1> x, View<double, 1> y) {
  gpu::for_each(device, y.size(), Absolute{x, y});
}

void correct(const gpu::Device& device, View<const double, 1> x, double a, View<double, 1> d) {
  gpu::for_each(device, d.size(), Correct{x, a, d});
}

double largest(const gpu::Device& device, View<const double, 1> x) {
  return gpu::maximum(device, x.size(), Magnitude{x});
}

std::array<double, 2> range(const gpu::Device& device, View<const double, 1> x) {
  return {-gpu::maximum(device, x.size(), Multiple{-1, x}),
          gpu::maximum(device, x.size(), Multiple{1, x})};
}

double scaled_squares(const gpu::Device& device, double unit, View<const double, 1> x) {
  return gpu::sum(device, x.size(), ScaledSquare{unit, x});
}

template <class Real>
Offset count_not_finite(const gpu::Device& device, View<const Real, 1> x) {
  return static_cast<Offset>(gpu::sum(device, x.size(), NotFinite<Real>{x}));
}

template void chebyshev_step(const gpu::Device&, double, double, View<const float, 1>,
                             View<float, 1>, View<float, 1>);
template void chebyshev_step(const gpu::Device&, double, double, View<const double, 1>,
                             View<double, 1>, View<double, 1>);
template void scaled_copy(const gpu::Device&, double, View<const float, 1>, View<float, 1>);
template void scaled_copy(const gpu::Device&, double, View<const float, 1>, View<double, 1>);
template void scaled_copy(const gpu::Device&, double, View<const double, 1>, View<float, 1>);
template void scaled_copy(const gpu::Device&, double, View<const double, 1>, View<double, 1>);
template Offset count_not_finite(const gpu::Device&, View<const float, 1>);
template Offset count_not_finite(const gpu::Device&, View<const double, 1>);

}  // namespace trestle::solver
