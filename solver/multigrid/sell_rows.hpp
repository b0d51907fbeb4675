// What products with a SellMatrix read, and what they do with the sum of a row; the kernel of a
// GPU.
#pragma once

#include "gpu/view.hpp"

namespace trestle::solver {

/// The arrays of the matrix and its input.
template <class Real>
struct SellOperands {
  gpu::View<const Offset, 1> slices;  // [slice + 1]
  gpu::View<const Index, 1> rows;     // [slice, lane]
  gpu::View<const Index, 1> columns;  // [slice, place, lane]
  gpu::View<const Real, 1> values;    // [slice, place, m, n, lane]
  gpu::View<const Real, 1> x;         // [column, n]
};

/// What smoothing steps take (SellMatrix::first_step, next_step).
template <class Real>
struct SellStep {
  gpu::View<const Real, 1> inverses;  // [row, block, block] of the diagonal blocks
  Real keep;                          // of the direction before
  Real add;                           // of the new correction
  Real weight_before;                 // of the direction before in x
  Real weight;                        // of the new direction in x
  bool start;                         // x begins from nothing
};

template <class Real, int m>
struct StoreSum {
  gpu::View<Real, 1> y;
  TRESTLE_KERNEL void operator()(Offset row, const Real (&sum)[m]) const {
    for (int i = 0; i < m; ++i) y[row * m + i] = sum[i];
  }
};

template <class Real, int m>
struct AddSum {
  gpu::View<Real, 1> y;
  TRESTLE_KERNEL void operator()(Offset row, const Real (&sum)[m]) const {
    for (int i = 0; i < m; ++i) y[row * m + i] += sum[i];
  }
};

template <class Real, int m>
struct StoreResidual {
  gpu::View<const Real, 1> b;
  gpu::View<Real, 1> r;
  TRESTLE_KERNEL void operator()(Offset row, const Real (&sum)[m]) const {
    for (int i = 0; i < m; ++i) r[row * m + i] = b[row * m + i] - sum[i];
  }
};

/// D_row^-1 r, one component.
template <class Real, int m>
TRESTLE_KERNEL Real corrected(const gpu::View<const Real, 1>& inverses, Offset row, int i,
                              const Real (&r)[m]) {
  Real value = 0;
  for (int j = 0; j < m; ++j) value += inverses[(row * m + i) * m + j] * r[j];
  return value;
}

template <class Real, int m>
struct FirstStep {
  gpu::View<const Real, 1> inverses, b;
  Real add;
  gpu::View<Real, 1> r, d;
  TRESTLE_KERNEL void operator()(Offset row, const Real (&sum)[m]) const {
    Real of_row[m];
    for (int i = 0; i < m; ++i) r[row * m + i] = of_row[i] = b[row * m + i] - sum[i];
    for (int i = 0; i < m; ++i) d[row * m + i] = add * corrected<Real, m>(inverses, row, i, of_row);
  }
};

template <class Real, int m>
struct NextStep {
  SellStep<Real> step;
  gpu::View<const Real, 1> r_in, d;
  gpu::View<Real, 1> r_out, e, x;
  TRESTLE_KERNEL void operator()(Offset row, const Real (&sum)[m]) const {
    Real of_row[m];
    for (int i = 0; i < m; ++i) r_out[row * m + i] = of_row[i] = r_in[row * m + i] - sum[i];
    for (int i = 0; i < m; ++i) {
      const Offset k = row * m + i;
      const Real before = d[k];
      const Real direction =
          step.keep * before + step.add * corrected<Real, m>(step.inverses, row, i, of_row);
      e[k] = direction;
      x[k] =
          (step.start ? Real{0} : x[k]) + (step.weight_before * before + step.weight * direction);
    }
  }
};

/// sum_i = sum_e A_e x_{column e} over the entries of row i in their order, handed to `finish(row,
/// sum)`; an index for each lane of each slice.
template <int height, int m, int n, class Real, class Finish>
struct SellRows {
  SellOperands<Real> matrix;
  Finish finish;

  TRESTLE_KERNEL void operator()(Offset index) const {
    const Offset slice = index / height, lane = index - slice * height;
    const Index row = matrix.rows[index];
    if (row < 0) return;
    Real sum[m] = {};
    for (Offset e = matrix.slices[slice]; e < matrix.slices[slice + 1]; e += height) {
      const Real* a = matrix.values.data() + e * m * n + lane;
      const Real* x = matrix.x.data() + static_cast<Offset>(matrix.columns[e + lane]) * n;
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) sum[i] += a[(i * n + j) * height] * x[j];
    }
    finish(row, sum);
  }
};

}  // namespace trestle::solver
