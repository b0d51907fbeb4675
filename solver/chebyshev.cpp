#include "solver/chebyshev.hpp"

#include <cstdint>

#include "gpu/vector_ops.hpp"
#include "solver/cg.hpp"
#include "solver/vector_kernels.hpp"

namespace trestle::solver {
namespace {

/// A number in [-1, 1) that only `id` decides [splitmix64, Steele et al. 2014].
double noise(GlobalIndex id) {
  auto z = static_cast<std::uint64_t>(id) + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1;
}

template <class Real>
Vector<Real> start_vector(const Operator<Real>& a) {
  Vector<Real> start = a.make_vector("preconditioner");
  const auto values = gpu::write(start.values());
  const auto ids = a.shared_map()->ids();
  const Offset block = a.block();
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (Offset c = 0; c < block; ++c)
      values[static_cast<Offset>(i) * block + c] = static_cast<Real>(noise(ids[i] * block + c));
  return start;
}

template <class Real>
double estimate_lambda_max(const Operator<Real>& a, ApproximateInverse<Real>& m) {
  constexpr int steps = 12;
  constexpr double safety = 1.1;
  Cg<Real> cg(a, m, false);
  Vector<Real> r = start_vector(a);
  Vector<Real> x = a.make_vector("preconditioner");
  cg.solve(r, x, {0, steps}, {});
  const double estimate = largest_ritz_value(cg.alphas(), cg.betas());
  return estimate > 0 ? safety * estimate : 1;
}

}  // namespace

template <class Real>
Chebyshev<Real>::Chebyshev(const Operator<Real>& a, std::unique_ptr<BlockJacobi<Real>> jacobi,
                           int degree)
    : a_(a),
      jacobi_(std::move(jacobi)),
      degree_(degree),
      residual_(a.make_vector("preconditioner")),
      direction_(a.make_vector("preconditioner")),
      work_(a.make_vector("preconditioner")) {
  lambda_max_ = estimate_lambda_max(a, *jacobi_);
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
    const double keep = i == 0 ? 0 : (2.0 * i - 1) / (2.0 * i + 3);
    const double add = (8.0 * i + 4) / ((2.0 * i + 3) * lambda_max_);
    chebyshev_step<Real>(device, keep, add, work.owned(), direction_.owned(), z.owned());
  }
}

template class Chebyshev<float>;
template class Chebyshev<double>;

}  // namespace trestle::solver
