// The products of SellMatrix on one CPU thread: a slice in the lanes of vector registers.
#pragma once

#include "gpu/device.hpp"
#include "solver/multigrid/sell_rows.hpp"

namespace trestle::solver {

/// What SellRows does, for slices of `height` rows at once; the same operations in each lane.
/// Everything is queued on a device whose kernels run on the host. Blocks are m x n.
template <class Real>
struct SellLanes {
  using Operands = SellOperands<Real>;
  static constexpr int height = 8;  // floats fill a register of AVX

  static void apply(const gpu::Device& device, int m, int n, const Operands& a,
                    gpu::View<Real, 1> y);
  static void add(const gpu::Device& device, int m, int n, const Operands& a, gpu::View<Real, 1> y);
  static void residual(const gpu::Device& device, int m, const Operands& a,
                       gpu::View<const Real, 1> b, gpu::View<Real, 1> r);
  static void first_step(const gpu::Device& device, int m, const Operands& a,
                         const SellStep<Real>& step, gpu::View<const Real, 1> b,
                         gpu::View<Real, 1> r, gpu::View<Real, 1> d);
  static void next_step(const gpu::Device& device, int m, const Operands& a,
                        const SellStep<Real>& step, gpu::View<const Real, 1> r_in,
                        gpu::View<Real, 1> r_out, gpu::View<Real, 1> e, gpu::View<Real, 1> x);
};

extern template struct SellLanes<float>;
extern template struct SellLanes<double>;

}  // namespace trestle::solver
