// The product over 3 x 3 blocks on one thread of the CPU, a block in few registers.
#pragma once

#include "gpu/sparse.hpp"

namespace trestle::gpu {

/// y = A x, or y += A x with `add`, for blocks of 3 in memory of the host, not for a card. Rounds
/// otherwise than BlockRowProduct does.
template <class Real>
void multiply_in_lanes(const Device& device, const BlockRows<Real>& a, View<const Real, 1> x,
                       View<Real, 1> y, bool add);

}  // namespace trestle::gpu
