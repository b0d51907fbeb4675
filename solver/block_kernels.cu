#include "solver/block_kernels.hpp"

#include <cmath>

#include "gpu/for_each.hpp"
#include "gpu/reduce.hpp"

namespace trestle::solver {
namespace {

using gpu::View;
constexpr int max_block = 6;

/// Position of the entry (row, row), or -1.
template <class Real>
TRESTLE_KERNEL Offset diagonal_entry(const BlockRowsView<Real>& rows, Offset row) {
  for (Offset e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e)
    if (rows.columns[e] == row) return e;
  return -1;
}

/// Inverts the n x n matrix a in place by Gauss-Jordan with row pivoting; false where a pivot falls
/// below 1e-14 of the largest entry.
TRESTLE_KERNEL inline bool invert(double (&a)[max_block][max_block], int n) {
  double scale = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) scale = fabs(a[i][j]) > scale ? fabs(a[i][j]) : scale;
  double inverse[max_block][max_block] = {};
  for (int i = 0; i < n; ++i) inverse[i][i] = 1;
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
    if (!(fabs(a[best][k]) > 1e-14 * scale)) return false;
    for (int j = 0; j < n; ++j) {
      const double left = a[k][j], right = inverse[k][j];
      a[k][j] = a[best][j];
      a[best][j] = left;
      inverse[k][j] = inverse[best][j];
      inverse[best][j] = right;
    }
    const double pivot = 1 / a[k][k];
    for (int j = 0; j < n; ++j) {
      a[k][j] *= pivot;
      inverse[k][j] *= pivot;
    }
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k];
      for (int j = 0; j < n; ++j) {
        a[i][j] -= factor * a[k][j];
        inverse[i][j] -= factor * inverse[k][j];
      }
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i][j] = inverse[i][j];
  return true;
}

template <class MatrixReal, class Real>
struct InvertDiagonal {
  BlockRowsView<MatrixReal> owned;
  View<Real, 1> inverses;

  TRESTLE_KERNEL void operator()(Offset row) const {
    const int b = owned.block;
    const Offset entry = diagonal_entry(owned, row);
    double a[max_block][max_block] = {};
    const auto load = [&] {
      for (int i = 0; i < b; ++i)
        for (int j = 0; j < b; ++j)
          a[i][j] = entry < 0 ? 0 : static_cast<double>(owned.values[(entry * b + i) * b + j]);
    };
    load();
    if (!invert(a, b)) {
      load();
      for (int i = 0; i < b; ++i)
        for (int j = 0; j < b; ++j)
          if (i != j)
            a[i][j] = 0;
          else
            a[i][i] = a[i][i] != 0 ? 1 / a[i][i] : 1;
    }
    for (int i = 0; i < b; ++i)
      for (int j = 0; j < b; ++j) inverses[(row * b + i) * b + j] = static_cast<Real>(a[i][j]);
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

}  // namespace

template <class MatrixReal, class Real>
void invert_diagonal(const gpu::Device& device, const BlockRowsView<MatrixReal>& owned,
                     View<Real, 1> inverses) {
  gpu::for_each(device, owned.offsets.size() - 1,
                InvertDiagonal<MatrixReal, Real>{owned, inverses});
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

}  // namespace trestle::solver
