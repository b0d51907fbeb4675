// SellMatrix: block rows in sliced ELLPACK form on a device, with products that end in what a
// multigrid cycle does with them.
#pragma once

#include "gpu/array.hpp"
#include "solver/multigrid/block_rows.hpp"
#include "solver/multigrid/sell_rows.hpp"

namespace trestle::solver {

/// Slices of `height` rows of like length stand side by side, padded to the longest, so that a
/// processor takes a slice in vector lanes and a GPU in neighbouring threads [Kreutzer, Hager,
/// Wellein et al. 2014, SIAM J. Sci. Comput. 36:C401-C423: SELL-C-sigma].
template <class Real>
class SellMatrix {
 public:
  SellMatrix(const gpu::Device& device, const BlockRowsOnHost& rows, const std::string& item);

  /// Takes the values of rows with the pattern of those that made the matrix.
  void set_values(const BlockRowsOnHost& rows);

  const gpu::Device& device() const { return values_.device(); }
  int row_block() const { return row_block_; }
  int column_block() const { return column_block_; }
  Index n_rows() const { return n_rows_; }
  /// Entries with padding.
  Offset n_stored() const { return columns_.size(); }
  /// Bytes that a product reads of the matrix.
  std::size_t bytes() const { return values_.bytes() + columns_.bytes() + rows_.bytes(); }

  /// y = A x; x is [column, block] with ghosts, y [row, block]. All are queued.
  void apply(gpu::View<const Real, 1> x, gpu::View<Real, 1> y) const;
  /// y += A x.
  void add(gpu::View<const Real, 1> x, gpu::View<Real, 1> y) const;
  /// r = b - A x.
  void residual(gpu::View<const Real, 1> b, gpu::View<const Real, 1> x, gpu::View<Real, 1> r) const;

  using Step = SellStep<Real>;
  /// First step of a smoother from a guess: r = b - A x, d = add D^-1 r. `step.keep` is not used.
  void first_step(const Step& step, gpu::View<const Real, 1> b, gpu::View<const Real, 1> x,
                  gpu::View<Real, 1> r, gpu::View<Real, 1> d) const;
  /// A later step: r_out = r_in - A d; e = keep d + add D^-1 r_out; x += weight_before d + weight
  /// e.
  void next_step(const Step& step, gpu::View<const Real, 1> r_in, gpu::View<const Real, 1> d,
                 gpu::View<Real, 1> r_out, gpu::View<Real, 1> e, gpu::View<Real, 1> x) const;

 private:
  bool on_card() const;
  SellOperands<Real> operands(gpu::View<const Real, 1> x) const;

  int row_block_;
  int column_block_;
  Index n_rows_;
  gpu::Array<Offset> slices_;  // [slice + 1] first entry of each
  gpu::Array<Index> rows_;     // [slice, lane] the row, or -1
  gpu::Array<Index> columns_;  // [slice, place, lane]
  gpu::Array<Real> values_;    // [slice, place, row in block, column in block, lane]
};

extern template class SellMatrix<float>;
extern template class SellMatrix<double>;

}  // namespace trestle::solver
