// The kernel of SellMatrix: a slice, or some lanes of it, for each index.
#pragma once

#include "gpu/view.hpp"

namespace trestle::solver {

/// sum_i = sum_e A_e x_{column e} over the entries of row i in their order, handed to `finish(row,
/// sum)`. An index takes `width` of the `height` lanes of a slice: all of them on a processor, one
/// on a GPU.
template <int height, int width, int m, int n, class Real, class Finish>
struct SellRows {
  gpu::View<const Offset, 1> slices;  // [slice + 1]
  gpu::View<const Index, 1> rows;     // [slice, lane]
  gpu::View<const Index, 1> columns;  // [slice, place, lane]
  gpu::View<const Real, 1> values;    // [slice, place, m, n, lane]
  gpu::View<const Real, 1> x;         // [column, n]
  Finish finish;

  TRESTLE_KERNEL void operator()(Offset index) const {
    const Offset slice = index * width / height;
    const Offset lane = index * width - slice * height;
    Real sum[m][width] = {};
    for (Offset e = slices[slice]; e < slices[slice + 1]; e += height)
      add_place(columns.data() + e + lane, values.data() + e * m * n + lane, sum);
    for (int l = 0; l < width; ++l) {
      const Index row = rows[slice * height + lane + l];
      if (row < 0) continue;
      Real of_row[m];
      for (int i = 0; i < m; ++i) of_row[i] = sum[i][l];
      finish(row, of_row);
    }
  }

 private:
  TRESTLE_KERNEL void add_place(const Index* column, const Real* a, Real (&sum)[m][width]) const {
    Real at[n][width];
    for (int l = 0; l < width; ++l)
      for (int j = 0; j < n; ++j) at[j][l] = x.data()[static_cast<Offset>(column[l]) * n + j];
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        for (int l = 0; l < width; ++l) sum[i][l] += a[(i * n + j) * height + l] * at[j][l];
  }
};

}  // namespace trestle::solver
