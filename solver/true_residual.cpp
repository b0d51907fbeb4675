#include "solver/true_residual.hpp"

#include "solver/krylov/inner_product.hpp"
#include "solver/matrix/vector_kernels.hpp"

namespace trestle::solver {

template <class MatrixReal>
void TrueResidual<MatrixReal>::compute(const Vector<double>& b, Vector<double>& x,
                                       Vector<double>& r) const {
  product_.apply(x, r);
  subtract_from(product_.device(), b.owned(), r.owned());
}

template <class MatrixReal>
double TrueResidual<MatrixReal>::backward_scale(const Vector<double>& b, const Vector<double>& x,
                                                Vector<double>& work) const {
  const gpu::Device& device = product_.device();
  const BlockMatrix<MatrixReal>& a = product_.matrix();
  absolute(device, b.owned(), work.owned());
  add_absolute_product<MatrixReal>(device, a.owned_rows(), x.view(), work.owned());
  add_absolute_product<MatrixReal>(device, a.ghost_rows(), x.view(), work.owned());
  return safe_norm(work);
}

template class TrueResidual<float>;
template class TrueResidual<double>;

}  // namespace trestle::solver
