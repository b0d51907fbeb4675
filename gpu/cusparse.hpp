// cuSPARSE products: the library is opened with dlopen at first use, so that the program starts
// without it.
#pragma once

#include <memory>
#include <string>

#include "gpu/array.hpp"
#include "gpu/sparse.hpp"

namespace trestle::gpu {

/// "cuSPARSE 12.6.3 from /usr/local/cuda/lib64/libcusparse.so.12", or why own products run instead.
std::string cusparse_availability();

/// One prepared product; descriptors and buffers are kept.
class CusparseProduct {
 public:
  virtual ~CusparseProduct() = default;
  /// y = A x or y += A x, queued; x and y are of the matrix's type.
  virtual void apply(const void* x, void* y, bool add) = 0;
  virtual std::string algorithm() const = 0;
};

/// Null where cuSPARSE is missing or refuses this matrix. `offsets` is [n_rows + 1] from 0. Waits
/// for the device.
template <class Real>
std::unique_ptr<CusparseProduct> make_cusparse_product(const Device& device,
                                                       const BlockRows<Real>& matrix,
                                                       Array<Index> offsets);

extern template std::unique_ptr<CusparseProduct> make_cusparse_product(const Device&,
                                                                       const BlockRows<float>&,
                                                                       Array<Index>);
extern template std::unique_ptr<CusparseProduct> make_cusparse_product(const Device&,
                                                                       const BlockRows<double>&,
                                                                       Array<Index>);

}  // namespace trestle::gpu
