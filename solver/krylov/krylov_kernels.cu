#include "solver/krylov/krylov_kernels.hpp"

#include "gpu/for_each.hpp"
#include "gpu/reduce.hpp"

namespace trestle::solver {
namespace {

using gpu::View;

template <class Real>
struct Product {
  View<const Real, 1> x, y;
  TRESTLE_KERNEL double operator()(Offset i) const {
    return static_cast<double>(x[i]) * static_cast<double>(y[i]);
  }
};

template <class Real>
struct Subtract {
  Real alpha;
  View<const Real, 1> q;
  View<Real, 1> r;
  TRESTLE_KERNEL void operator()(Offset i) const { r[i] -= alpha * q[i]; }
};

template <class Real>
struct AdvanceAndTurn {
  Real alpha, beta;
  View<const Real, 1> z;
  View<Real, 1> p, x;
  TRESTLE_KERNEL void operator()(Offset i) const {
    const Real direction = p[i];
    x[i] += alpha * direction;
    p[i] = z[i] + beta * direction;
  }
};

struct Widen {
  double scale;
  View<const float, 1> z_float;
  View<double, 1> z;
  TRESTLE_KERNEL void operator()(Offset i) const { z[i] = scale * static_cast<double>(z_float[i]); }
};

template <class Real>
struct LanczosStep {
  Real a, b, c;
  View<const Real, 1> q, v;
  View<Real, 1> before;
  TRESTLE_KERNEL void operator()(Offset i) const {
    before[i] = a * q[i] - b * v[i] - c * before[i];
  }
};

template <class Real>
struct MinresUpdate {
  Real of_z, of_w, of_before, length, keep, of_v;
  View<const Real, 1> z, w, v;
  View<Real, 1> before, x, r;
  TRESTLE_KERNEL void operator()(Offset i) const {
    const Real direction = of_z * z[i] - of_w * w[i] - of_before * before[i];
    before[i] = direction;
    x[i] += length * direction;
    r[i] = keep * r[i] - of_v * v[i];
  }
};

template <class Real>
struct BicgstabDirection {
  Real beta, omega;
  View<const Real, 1> r, v;
  View<Real, 1> p;
  TRESTLE_KERNEL void operator()(Offset i) const { p[i] = r[i] + beta * (p[i] - omega * v[i]); }
};

template <class Real>
struct BicgstabUpdate {
  Real alpha, omega;
  View<const Real, 1> y, z, t;
  View<Real, 1> x, r;
  TRESTLE_KERNEL void operator()(Offset i) const {
    x[i] += alpha * y[i] + omega * z[i];
    r[i] -= omega * t[i];
  }
};

}  // namespace

template <class Real>
std::array<double, 2> dot_pair(const gpu::Device& device, View<const Real, 1> x,
                               View<const Real, 1> y, View<const Real, 1> z) {
  return gpu::sums(device, x.size(), Product<Real>{x, y}, Product<Real>{x, z});
}

template <class Real>
double subtract_and_square(const gpu::Device& device, double alpha, View<const Real, 1> q,
                           View<Real, 1> r) {
  return gpu::update_and_sum(device, r.size(), Subtract<Real>{static_cast<Real>(alpha), q, r},
                             Product<Real>{r, r})[0];
}

template <class Real>
void advance_and_turn(const gpu::Device& device, double alpha, double beta, View<const Real, 1> z,
                      View<Real, 1> p, View<Real, 1> x) {
  gpu::for_each(device, x.size(),
                AdvanceAndTurn<Real>{static_cast<Real>(alpha), static_cast<Real>(beta), z, p, x});
}

std::array<double, 2> widen_and_dot(const gpu::Device& device, double scale,
                                    View<const float, 1> z_float, View<const double, 1> r,
                                    View<const double, 1> q, View<double, 1> z) {
  return gpu::update_and_sum(device, z.size(), Widen{scale, z_float, z}, Product<double>{z, r},
                             Product<double>{z, q});
}

template <class Real>
void lanczos_step(const gpu::Device& device, double a, View<const Real, 1> q, double b,
                  View<const Real, 1> v, double c, View<Real, 1> before) {
  gpu::for_each(device, before.size(),
                LanczosStep<Real>{static_cast<Real>(a), static_cast<Real>(b), static_cast<Real>(c),
                                  q, v, before});
}

template <class Real>
double minres_step(const gpu::Device& device, const MinresStep& step, View<const Real, 1> z,
                   View<const Real, 1> w, View<Real, 1> before, View<const Real, 1> v,
                   View<Real, 1> x, View<Real, 1> r) {
  const MinresUpdate<Real> update{static_cast<Real>(step.of_z),
                                  static_cast<Real>(step.of_w),
                                  static_cast<Real>(step.of_before),
                                  static_cast<Real>(step.length),
                                  static_cast<Real>(step.keep),
                                  static_cast<Real>(step.of_v),
                                  z,
                                  w,
                                  v,
                                  before,
                                  x,
                                  r};
  return gpu::update_and_sum(device, r.size(), update, Product<Real>{r, r})[0];
}

template <class Real>
double bicgstab_direction(const gpu::Device& device, double beta, double omega,
                          View<const Real, 1> r, View<const Real, 1> v, View<Real, 1> p) {
  return gpu::update_and_sum(
      device, p.size(),
      BicgstabDirection<Real>{static_cast<Real>(beta), static_cast<Real>(omega), r, v, p},
      Product<Real>{p, p})[0];
}

template <class Real>
std::array<double, 2> bicgstab_step(const gpu::Device& device, double alpha, View<const Real, 1> y,
                                    double omega, View<const Real, 1> z, View<const Real, 1> t,
                                    View<const Real, 1> shadow, View<Real, 1> x, View<Real, 1> r) {
  const BicgstabUpdate<Real> update{
      static_cast<Real>(alpha), static_cast<Real>(omega), y, z, t, x, r};
  return gpu::update_and_sum(device, r.size(), update, Product<Real>{r, r},
                             Product<Real>{r, shadow});
}

template std::array<double, 2> dot_pair(const gpu::Device&, View<const float, 1>,
                                        View<const float, 1>, View<const float, 1>);
template double subtract_and_square(const gpu::Device&, double, View<const float, 1>,
                                    View<float, 1>);
template void advance_and_turn(const gpu::Device&, double, double, View<const float, 1>,
                               View<float, 1>, View<float, 1>);
template void lanczos_step(const gpu::Device&, double, View<const float, 1>, double,
                           View<const float, 1>, double, View<float, 1>);
template double minres_step(const gpu::Device&, const MinresStep&, View<const float, 1>,
                            View<const float, 1>, View<float, 1>, View<const float, 1>,
                            View<float, 1>, View<float, 1>);
template double bicgstab_direction(const gpu::Device&, double, double, View<const float, 1>,
                                   View<const float, 1>, View<float, 1>);
template std::array<double, 2> bicgstab_step(const gpu::Device&, double, View<const float, 1>,
                                             double, View<const float, 1>, View<const float, 1>,
                                             View<const float, 1>, View<float, 1>, View<float, 1>);
template std::array<double, 2> dot_pair(const gpu::Device&, View<const double, 1>,
                                        View<const double, 1>, View<const double, 1>);
template double subtract_and_square(const gpu::Device&, double, View<const double, 1>,
                                    View<double, 1>);
template void advance_and_turn(const gpu::Device&, double, double, View<const double, 1>,
                               View<double, 1>, View<double, 1>);
template void lanczos_step(const gpu::Device&, double, View<const double, 1>, double,
                           View<const double, 1>, double, View<double, 1>);
template double minres_step(const gpu::Device&, const MinresStep&, View<const double, 1>,
                            View<const double, 1>, View<double, 1>, View<const double, 1>,
                            View<double, 1>, View<double, 1>);
template double bicgstab_direction(const gpu::Device&, double, double, View<const double, 1>,
                                   View<const double, 1>, View<double, 1>);
template std::array<double, 2> bicgstab_step(const gpu::Device&, double, View<const double, 1>,
                                             double, View<const double, 1>, View<const double, 1>,
                                             View<const double, 1>, View<double, 1>,
                                             View<double, 1>);

}  // namespace trestle::solver
