#include "solver/matrix/block_kernels.hpp"

#include <cmath>

#include "gpu/for_each.hpp"
#include "gpu/reduce.hpp"
#include "solver/matrix/small_inverse.hpp"

namespace trestle::solver {
namespace {

using gpu::View;

/// Position of the entry (row, row), or -1.
template <class Real>
TRESTLE_KERNEL Offset diagonal_entry(const BlockRowsView<Real>& rows, Offset row) {
  for (Offset e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e)
    if (rows.columns[e] == row) return e;
  return -1;
}

template <class MatrixReal, class Real, int b>
struct InvertDiagonal {
  BlockRowsView<MatrixReal> owned;
  View<Real, 1> inverses;

  TRESTLE_KERNEL void operator()(Offset row) const {
    const Offset entry = diagonal_entry(owned, row);
    double a[b * b] = {};
    for (int k = 0; k < b * b && entry >= 0; ++k)
      a[k] = static_cast<double>(owned.values[entry * b * b + k]);
    invert_or_diagonal<b>(a);
    for (int k = 0; k < b * b; ++k) inverses[row * b * b + k] = static_cast<Real>(a[k]);
  }
};

template <class Real, int block>
struct ApplyBlocks {
  View<const Real, 1> blocks;
  View<const Real, 1> r;
  View<Real, 1> z;

  TRESTLE_KERNEL void operator()(Offset node) const {
    Real in[block];
    for (int j = 0; j < block; ++j) in[j] = r[node * block + j];
    for (int i = 0; i < block; ++i) {
      Real value = 0;
      for (int j = 0; j < block; ++j) value += blocks[(node * block + i) * block + j] * in[j];
      z[node * block + i] = value;
    }
  }
};

template <class MatrixReal>
struct AddAbsoluteProduct {
  BlockRowsView<MatrixReal> part;
  View<const double, 1> x;
  View<double, 1> y;

  TRESTLE_KERNEL void operator()(Offset row) const {
    const int b = part.block;
    for (Offset e = part.offsets[row]; e < part.offsets[row + 1]; ++e)
      for (int i = 0; i < b; ++i)
        for (int j = 0; j < b; ++j)
          y[row * b + i] += fabs(static_cast<double>(part.values[(e * b + i) * b + j])) *
                            fabs(x[static_cast<Offset>(part.columns[e]) * b + j]);
  }
};

template <class MatrixReal>
struct LargestDiagonal {
  BlockRowsView<MatrixReal> owned;

  TRESTLE_KERNEL double operator()(Offset row) const {
    const int b = owned.block;
    const Offset e = diagonal_entry(owned, row);
    double largest = 0;
    for (int k = 0; e >= 0 && k < b * b; ++k) {
      const double value = fabs(static_cast<double>(owned.values[e * b * b + k]));
      largest = value > largest ? value : largest;
    }
    return largest;
  }
};

template <class MatrixReal>
struct InverseDiagonal {
  LargestDiagonal<MatrixReal> of;
  TRESTLE_KERNEL double operator()(Offset row) const { return 1 / of(row); }
};

}  // namespace

template <class MatrixReal, class Real>
void invert_diagonal(const gpu::Device& device, const BlockRowsView<MatrixReal>& owned,
                     View<Real, 1> inverses) {
  const Offset n = owned.offsets.size() - 1;
  switch (owned.block) {
    case 1:
      return gpu::for_each(device, n, InvertDiagonal<MatrixReal, Real, 1>{owned, inverses});
    case 2:
      return gpu::for_each(device, n, InvertDiagonal<MatrixReal, Real, 2>{owned, inverses});
    case 3:
      return gpu::for_each(device, n, InvertDiagonal<MatrixReal, Real, 3>{owned, inverses});
    case 4:
      return gpu::for_each(device, n, InvertDiagonal<MatrixReal, Real, 4>{owned, inverses});
    default:
      return gpu::for_each(device, n, InvertDiagonal<MatrixReal, Real, 6>{owned, inverses});
  }
}

template <class Real>
void apply_blocks(const gpu::Device& device, int block, View<const Real, 1> blocks,
                  View<const Real, 1> r, View<Real, 1> z) {
  const Offset n = z.size() / block;
  switch (block) {
    case 1:
      return gpu::for_each(device, n, ApplyBlocks<Real, 1>{blocks, r, z});
    case 2:
      return gpu::for_each(device, n, ApplyBlocks<Real, 2>{blocks, r, z});
    case 3:
      return gpu::for_each(device, n, ApplyBlocks<Real, 3>{blocks, r, z});
    case 4:
      return gpu::for_each(device, n, ApplyBlocks<Real, 4>{blocks, r, z});
    default:
      return gpu::for_each(device, n, ApplyBlocks<Real, 6>{blocks, r, z});
  }
}

template <class MatrixReal>
void add_absolute_product(const gpu::Device& device, const BlockRowsView<MatrixReal>& part,
                          View<const double, 1> x, View<double, 1> y) {
  gpu::for_each(device, part.offsets.size() - 1, AddAbsoluteProduct<MatrixReal>{part, x, y});
}

template <class MatrixReal>
double largest_diagonal_entry(const gpu::Device& device, const BlockRowsView<MatrixReal>& owned) {
  const Offset n = owned.offsets.size() - 1;
  return n == 0 ? 0 : gpu::maximum(device, n, LargestDiagonal<MatrixReal>{owned});
}

template <class MatrixReal>
double largest_inverse_entry(const gpu::Device& device, const BlockRowsView<MatrixReal>& owned) {
  const Offset n = owned.offsets.size() - 1;
  return n == 0 ? 0 : gpu::maximum(device, n, InverseDiagonal<MatrixReal>{{owned}});
}

template void invert_diagonal(const gpu::Device&, const BlockRowsView<float>&, View<float, 1>);
template void invert_diagonal(const gpu::Device&, const BlockRowsView<double>&, View<float, 1>);
template void invert_diagonal(const gpu::Device&, const BlockRowsView<double>&, View<double, 1>);
template void apply_blocks(const gpu::Device&, int, View<const float, 1>, View<const float, 1>,
                           View<float, 1>);
template void apply_blocks(const gpu::Device&, int, View<const double, 1>, View<const double, 1>,
                           View<double, 1>);
template void add_absolute_product(const gpu::Device&, const BlockRowsView<float>&,
                                   View<const double, 1>, View<double, 1>);
template void add_absolute_product(const gpu::Device&, const BlockRowsView<double>&,
                                   View<const double, 1>, View<double, 1>);
template double largest_diagonal_entry(const gpu::Device&, const BlockRowsView<float>&);
template double largest_diagonal_entry(const gpu::Device&, const BlockRowsView<double>&);
template double largest_inverse_entry(const gpu::Device&, const BlockRowsView<float>&);
template double largest_inverse_entry(const gpu::Device&, const BlockRowsView<double>&);

}  // namespace trestle::solver
