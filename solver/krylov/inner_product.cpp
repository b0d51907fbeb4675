#include "solver/krylov/inner_product.hpp"

#include <cmath>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/krylov_kernels.hpp"
#include "solver/matrix/vector_kernels.hpp"

namespace trestle::solver {

template <class Real>
double dot(const Vector<Real>& x, const Vector<Real>& y) {
  return x.map().comm().sum(gpu::dot(x.device(), x.owned(), y.owned()));
}

template <class Real>
std::array<double, 2> dots(const Vector<Real>& x, const Vector<Real>& y, const Vector<Real>& z) {
  std::array<double, 2> products = dot_pair<Real>(x.device(), x.owned(), y.owned(), z.owned());
  x.map().comm().sum(std::span<double>(products));
  return products;
}

template <class Real>
double norm(const Vector<Real>& x) {
  return std::sqrt(x.map().comm().sum(gpu::norm2_squared(x.device(), x.owned())));
}

double root_mean_square(const Vector<double>& x) {
  const auto n = static_cast<double>(x.map().n_global() * x.block());
  return std::sqrt(x.map().comm().sum(gpu::norm2_squared(x.device(), x.owned())) / n);
}

double safe_norm(const Vector<double>& x) {
  const double plain = norm(x);
  if (plain > 1e-140 && plain < 1e140) return plain;
  const Comm& comm = x.map().comm();
  // MPI_MAX may lose a value that is not a number, the sum keeps it.
  const double unit = comm.max(largest(x.device(), x.owned()));
  if (std::isnan(plain) || !std::isfinite(unit)) return comm.sum(plain);
  if (!(unit > 0)) return 0;
  return unit * std::sqrt(comm.sum(scaled_squares(x.device(), unit, x.owned())));
}

template double dot(const Vector<float>&, const Vector<float>&);
template double dot(const Vector<double>&, const Vector<double>&);
template std::array<double, 2> dots(const Vector<float>&, const Vector<float>&,
                                    const Vector<float>&);
template std::array<double, 2> dots(const Vector<double>&, const Vector<double>&,
                                    const Vector<double>&);
template double norm(const Vector<float>&);
template double norm(const Vector<double>&);

}  // namespace trestle::solver
