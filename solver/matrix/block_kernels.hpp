// Kernels over the rows of a block matrix: diagonal blocks, their inverses, absolute row sums.
#pragma once

#include "gpu/device.hpp"
#include "gpu/view.hpp"

namespace trestle::solver {

/// One part (owned or ghost columns) of the rows of a block matrix.
template <class Real>
struct BlockRowsView {
  int block;
  gpu::View<const Offset, 1> offsets;  // [row + 1]
  gpu::View<const Index, 1> columns;   // [entry]
  gpu::View<const Real, 1> values;     // [entry, block, block]
};

/// inverses [row, block, block]: of the diagonal blocks of the owned part, as BlockJacobi says.
/// Queued.
template <class MatrixReal, class Real>
void invert_diagonal(const gpu::Device& device, const BlockRowsView<MatrixReal>& owned,
                     gpu::View<Real, 1> inverses);

/// z = blocks r, blocks [row, block, block]. Queued.
template <class Real>
void apply_blocks(const gpu::Device& device, int block, gpu::View<const Real, 1> blocks,
                  gpu::View<const Real, 1> r, gpu::View<Real, 1> z);

/// y += |A| |x| for one part of the matrix; x [local row, block], y [row, block]. Queued.
template <class MatrixReal>
void add_absolute_product(const gpu::Device& device, const BlockRowsView<MatrixReal>& part,
                          gpu::View<const double, 1> x, gpu::View<double, 1> y);

/// Largest |entry| of the diagonal blocks of the owned part on this rank; 0 for none. Waits.
template <class MatrixReal>
double largest_diagonal_entry(const gpu::Device& device, const BlockRowsView<MatrixReal>& owned);
/// Largest 1 / (largest |entry|) of the diagonal blocks on this rank, infinite where one is 0; 0
/// for none. Waits.
template <class MatrixReal>
double largest_inverse_entry(const gpu::Device& device, const BlockRowsView<MatrixReal>& owned);

}  // namespace trestle::solver
