// SparseProduct: y = A x over block CSR, by cuSPARSE where it fits and by own kernels elsewhere.
#pragma once

#include <memory>
#include <string>

#include "gpu/device.hpp"
#include "gpu/view.hpp"

namespace trestle::gpu {

/// A sparse matrix as a product sees it; device memory of its owner, which outlives the product.
/// Entries of block row i are offsets[i] .. offsets[i+1]-1, counted from the start of `columns` and
/// of `values`; offsets[0] may be larger than 0.
template <class MatrixReal>
struct BlockRows {
  Offset n_rows = 0;                 // block rows
  Offset n_columns = 0;              // block columns: entries of x are n_columns * block
  int block = 1;                     // 1, 2, 3 or 6
  View<const Offset, 1> offsets;     // [n_rows + 1]
  View<const Index, 1> columns;      // [entry]
  View<const MatrixReal, 1> values;  // [entry, block, block], rows of a block one after another
};

class CusparseProduct;

/// Which product a SparseProduct may use.
enum class ProductChoice { best, own };

/// One product, prepared once and applied often. Values may change between two products, the
/// pattern may not.
template <class MatrixReal, class VectorReal>
class SparseProduct {
 public:
  /// Waits for the device. Throws Error (70) for another block size.
  SparseProduct(const Device& device, const BlockRows<MatrixReal>& matrix,
                ProductChoice choice = ProductChoice::best);
  SparseProduct(const Device& device, Offset n_rows, int block, View<const Offset, 1> offsets,
                View<const Index, 1> columns, View<const MatrixReal, 1> values, Offset n_columns)
      : SparseProduct(device, {n_rows, n_columns, block, offsets, columns, values}) {}
  ~SparseProduct();
  SparseProduct(SparseProduct&&) noexcept;
  SparseProduct& operator=(SparseProduct&&) noexcept;

  /// y = A x, or y += A x with `add`; x is [n_columns, block] or longer, y [n_rows, block] or
  /// longer. Queued; the same bits every time on one device.
  void apply(View<const VectorReal, 1> x, View<VectorReal, 1> y, bool add) const;

  /// "own" or "cusparse_csr_alg2", "cusparse_bsr_alg1".
  std::string algorithm() const;

 private:
  Device device_;
  BlockRows<MatrixReal> matrix_;
  std::unique_ptr<CusparseProduct> cusparse_;  // null where the own kernel runs
};

extern template class SparseProduct<float, float>;
extern template class SparseProduct<double, double>;
extern template class SparseProduct<float, double>;

}  // namespace trestle::gpu
