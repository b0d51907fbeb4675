// The kernel of the own sparse product: one block row for each index.
#pragma once

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
    constexpr Offset size = block * block, ahead = 2048, line = 64;
    constexpr Offset n_values = line / sizeof(MatrixReal), n_columns = line / sizeof(Index);
    for (Offset at = begin * size; at < end * size; at += n_values)
      TRESTLE_FETCH(values.data() + at + ahead / sizeof(MatrixReal));
    for (Offset at = begin; at < end; at += n_columns)
      TRESTLE_FETCH(columns.data() + at + ahead / sizeof(Index));
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
