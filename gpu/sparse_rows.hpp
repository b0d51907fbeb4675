// The kernel of the own sparse product: one block row for each index.
#pragma once

#include "gpu/fetch.hpp"
#include "gpu/view.hpp"

namespace trestle::gpu {

/// y_i = sum_e A_e x_{column e} (+ y_i) over the entries e of block row i, in their order. Two
/// sums, of even and of odd entries, keep the processor's pipeline busy.
template <int block, bool add, class MatrixReal, class VectorReal>
struct BlockRowProduct {
  View<const Offset, 1> offsets;     // [n_rows + 1]
  View<const Index, 1> columns;      // [entry]
  View<const MatrixReal, 1> values;  // [entry, block, block]
  View<const VectorReal, 1> x;       // [column, block]
  View<VectorReal, 1> y;             // [row, block]

  TRESTLE_KERNEL void add_entry(Offset entry, VectorReal* sum) const {
    const MatrixReal* a = values.data() + entry * block * block;
    const VectorReal* at = x.data() + static_cast<Offset>(columns[entry]) * block;
    for (int c = 0; c < block; ++c)
      for (int r = 0; r < block; ++r) sum[r] += static_cast<VectorReal>(a[r * block + c]) * at[c];
  }

  /// What rows some lines ahead need, maybe beyond the last.
  TRESTLE_KERNEL void fetch_later(Offset begin, Offset end) const {
    constexpr Offset size = block * block;
    fetch_behind<2048>(values.data(), begin * size, end * size);
    fetch_behind<2048>(columns.data(), begin, end);
  }

  TRESTLE_KERNEL void operator()(Offset row) const {
    VectorReal even[block] = {};
    VectorReal odd[block] = {};
    const Offset end = offsets[row + 1];
    Offset e = offsets[row];
    fetch_later(e, end);
    for (; e + 1 < end; e += 2) {
      add_entry(e, even);
      add_entry(e + 1, odd);
    }
    if (e < end) add_entry(e, even);
    for (int r = 0; r < block; ++r) {
      VectorReal& out = y[row * block + r];
      out = (add ? out : VectorReal{0}) + (even[r] + odd[r]);
    }
  }
};

}  // namespace trestle::gpu
