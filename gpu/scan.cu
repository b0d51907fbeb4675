#include "gpu/scan.hpp"

#include <algorithm>

#include "gpu/for_each.hpp"

namespace trestle::gpu {
namespace {

constexpr Offset block = 1024;

/// Sum of the counts of each block.
struct SumBlock {
  View<const Offset, 1> counts;
  View<Offset, 1> sums;  // [block]

  TRESTLE_KERNEL void operator()(Offset b) const {
    const Offset end = (b + 1) * block < counts.extent(0) ? (b + 1) * block : counts.extent(0);
    Offset sum = 0;
    for (Offset i = b * block; i < end; ++i) sum += counts[i];
    sums[b] = sum;
  }
};

/// Offsets within each block, from the sum before it.
struct ScanBlock {
  View<const Offset, 1> counts;
  View<const Offset, 1> before;  // [block]
  View<Offset, 1> offsets;       // [n + 1]

  TRESTLE_KERNEL void operator()(Offset b) const {
    const Offset n = counts.extent(0);
    const Offset end = (b + 1) * block < n ? (b + 1) * block : n;
    Offset sum = before[b];
    for (Offset i = b * block; i < end; ++i) {
      offsets[i] = sum;
      sum += counts[i];
    }
    if (end == n) offsets[n] = sum;
  }
};

}  // namespace

Array<Offset> exclusive_scan(const Array<Offset>& counts) {
  const Device& device = counts.device();
  const Offset n_blocks = std::max<Offset>(1, (counts.size() + block - 1) / block);
  Array<Offset> before(device, n_blocks, counts.item());
  Array<Offset> offsets(device, counts.size() + 1, counts.item());
  for_each(device, n_blocks, SumBlock{counts.view(), before.view()});
  {
    const auto sums = write(before);
    Offset sum = 0;
    for (Offset& entry : sums.span()) {
      const Offset own = entry;
      entry = sum;
      sum += own;
    }
  }
  const Array<Offset>& known = before;
  for_each(device, n_blocks, ScanBlock{counts.view(), known.view(), offsets.view()});
  return offsets;
}

}  // namespace trestle::gpu
