// Exclusive sums of counts: from the lengths of rows to their offsets.
#pragma once

#include "core/types.hpp"
#include "gpu/array.hpp"

namespace trestle::gpu {

/// offsets [n + 1] of `counts` [n]: offsets[i] is the sum of the counts before i, offsets[n] that
/// of all. Three passes over blocks of counts: sums of blocks, sums before blocks, sums within
/// [Blelloch 1990].
Array<Offset> exclusive_scan(const Array<Offset>& counts);

}  // namespace trestle::gpu
