#include "solver/krylov/chebyshev.hpp"

#include "gpu/vector_ops.hpp"
#include "solver/krylov/fourth_kind.hpp"
#include "solver/krylov/lambda_max.hpp"
#include "solver/matrix/vector_kernels.hpp"

namespace trestle::solver {
template <class Real>
Chebyshev<Real>::Chebyshev(const Operator<Real>& a, std::unique_ptr<BlockJacobi<Real>> jacobi,
                           int degree)
    : a_(a),
      jacobi_(std::move(jacobi)),
      degree_(degree),
      residual_(a.make_vector("preconditioner")),
      direction_(a.make_vector("preconditioner")),
      work_(a.make_vector("preconditioner")) {
  constexpr int lanczos_steps = 12;
  lambda_max_ = estimate_lambda_max(a, *jacobi_, lanczos_steps);
}

template <class Real>
void Chebyshev<Real>::apply(const Vector<Real>& r, double, Vector<Real>& z) {
  const gpu::Device& device = a_.device();
  const Vector<Real>& work = work_;
  gpu::copy(device, r.owned(), residual_.owned());
  gpu::fill(device, direction_.owned(), 0);
  gpu::fill(device, z.owned(), 0);
  for (int i = 0; i < degree_; ++i) {
    if (i > 0) {
      a_.apply(direction_, work_);
      gpu::axpy(device, -1, work.owned(), residual_.owned());
    }
    jacobi_->apply(residual_, 1, work_);
    const FourthKindStep step = fourth_kind_step(i);
    chebyshev_step<Real>(device, step.keep, step.add / lambda_max_, work.owned(),
                         direction_.owned(), z.owned());
  }
}

template class Chebyshev<float>;
template class Chebyshev<double>;

}  // namespace trestle::solver
