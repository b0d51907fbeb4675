// Vector operations of the Krylov methods, fused: an update and the sums of what it wrote are one
// pass over memory.
#pragma once

#include <array>

#include "gpu/device.hpp"
#include "gpu/view.hpp"

namespace trestle::solver {

/// Instantiated for float and double, as all of these but `widen_and_dot`. Sums are those of this
/// rank, in double and in a fixed order; what returns one waits for the device, the others queue.
/// Bytes per entry are those of memory traffic in double: one read or write of a vector is 8.

/// x.y and x.z. 24 bytes, 16 where z is x or y.
template <class Real>
std::array<double, 2> dot_pair(const gpu::Device& device, gpu::View<const Real, 1> x,
                               gpu::View<const Real, 1> y, gpu::View<const Real, 1> z);

/// r -= alpha q; returns r.r. 24 bytes, 32 in two passes.
template <class Real>
double subtract_and_square(const gpu::Device& device, double alpha, gpu::View<const Real, 1> q,
                           gpu::View<Real, 1> r);

/// CG: x += alpha p, p = z + beta p. 40 bytes, 48 in two passes.
template <class Real>
void advance_and_turn(const gpu::Device& device, double alpha, double beta,
                      gpu::View<const Real, 1> z, gpu::View<Real, 1> p, gpu::View<Real, 1> x);

/// z = scale z_float, formed in double; returns z.r and z.q. 28 bytes, 44 in three passes.
std::array<double, 2> widen_and_dot(const gpu::Device& device, double scale,
                                    gpu::View<const float, 1> z_float, gpu::View<const double, 1> r,
                                    gpu::View<const double, 1> q, gpu::View<double, 1> z);

/// MINRES: the next Lanczos vector, `before` = a q - b v - c before. 32 bytes.
template <class Real>
void lanczos_step(const gpu::Device& device, double a, gpu::View<const Real, 1> q, double b,
                  gpu::View<const Real, 1> v, double c, gpu::View<Real, 1> before);

/// One step of MINRES in numbers.
struct MinresStep {
  double of_z, of_w, of_before;  // the new search direction in z, w and the direction before w
  double length;                 // the step along it
  double keep, of_v;             // r = keep r - of_v v
};

/// `before` = of_z z - of_w w - of_before before, x += length before, r = keep r - of_v v; returns
/// r.r. 72 bytes, 88 in four passes.
template <class Real>
double minres_step(const gpu::Device& device, const MinresStep& step, gpu::View<const Real, 1> z,
                   gpu::View<const Real, 1> w, gpu::View<Real, 1> before,
                   gpu::View<const Real, 1> v, gpu::View<Real, 1> x, gpu::View<Real, 1> r);

/// BiCGStab: p = r + beta (p - omega v); returns p.p. 32 bytes, 40 in two passes.
template <class Real>
double bicgstab_direction(const gpu::Device& device, double beta, double omega,
                          gpu::View<const Real, 1> r, gpu::View<const Real, 1> v,
                          gpu::View<Real, 1> p);

/// BiCGStab: x += alpha y + omega z, r -= omega t; returns r.r and r.shadow. 64 bytes, 80 in four
/// passes.
template <class Real>
std::array<double, 2> bicgstab_step(const gpu::Device& device, double alpha,
                                    gpu::View<const Real, 1> y, double omega,
                                    gpu::View<const Real, 1> z, gpu::View<const Real, 1> t,
                                    gpu::View<const Real, 1> shadow, gpu::View<Real, 1> x,
                                    gpu::View<Real, 1> r);

}  // namespace trestle::solver
