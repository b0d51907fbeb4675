#include "solver/null_space_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/vector_ops.hpp"
#include "solver/matrix/matrix_operator.hpp"
#include "solver/matrix/vector_kernels.hpp"

namespace trestle::solver {
namespace {

using Columns = std::vector<std::vector<double>>;

std::vector<double> owned_on_host(const Vector<double>& x) {
  const auto values = gpu::read(x.values());
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(x.n_owned())};
}

/// sum_j |A_ij| of the owned rows.
template <class Real>
std::vector<double> row_sums(const MatrixOperator<Real, double>& a) {
  Vector<double> ones = a.make_vector("vectors"), sums = a.make_vector("vectors");
  gpu::fill(a.device(), ones.view(), 1);
  gpu::fill(a.device(), sums.view(), 0);
  const Vector<double>& x = ones;
  add_absolute_product<Real>(a.device(), a.matrix().owned_rows(), x.view(), sums.view());
  add_absolute_product<Real>(a.device(), a.matrix().ghost_rows(), x.view(), sums.view());
  return owned_on_host(sums);
}

/// A z of each vector, rows divided by their sums.
template <class Real>
Columns scaled_products(const MatrixOperator<Real, double>& a, const Columns& vectors) {
  const std::vector<double> sums = row_sums(a);
  Vector<double> x = a.make_vector("vectors"), y = a.make_vector("vectors");
  Columns products;
  for (const std::vector<double>& vector : vectors) {
    {
      const auto to = gpu::write(x.values());
      std::copy(vector.begin(), vector.end(), to.begin());
    }
    a.apply(x, y);
    std::vector<double>& product = products.emplace_back(owned_on_host(y));
    for (std::size_t i = 0; i < product.size(); ++i)
      if (sums[i] > 0) product[i] /= sums[i];
  }
  return products;
}

void rotate(std::vector<double>& x, std::vector<double>& y, double c, double s) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double first = x[i];
    x[i] = c * first - s * y[i];
    y[i] = s * first + c * y[i];
  }
}

/// Rotates pairs of columns of `w` until all are orthogonal; the same rotations act on `v`.
void orthogonalise_columns(const Comm& comm, Columns& w, Columns& v) {
  constexpr int max_sweeps = 30;
  bool rotated = true;
  for (int sweep = 0; sweep < max_sweeps && rotated; ++sweep) {
    rotated = false;
    for (std::size_t p = 0; p < w.size(); ++p)
      for (std::size_t q = p + 1; q < w.size(); ++q) {
        std::array<double, 3> products{};  // pp, qq, pq
        for (std::size_t i = 0; i < w[p].size(); ++i) {
          products[0] += w[p][i] * w[p][i];
          products[1] += w[q][i] * w[q][i];
          products[2] += w[p][i] * w[q][i];
        }
        comm.sum(std::span<double>(products));
        const auto [pp, qq, pq] = products;
        if (!(std::abs(pq) > 1e-15 * std::sqrt(pp * qq))) continue;
        const double zeta = (qq - pp) / (2 * pq);
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::hypot(1.0, t);
        rotate(w[p], w[q], c, c * t);
        rotate(v[p], v[q], c, c * t);
        rotated = true;
      }
  }
}

double largest_entry(const Comm& comm, const std::vector<double>& x) {
  double largest = 0;
  for (double value : x) largest = std::max(largest, std::abs(value));
  return comm.max(largest);
}

std::vector<double> combine(const Columns& vectors, const std::vector<double>& coefficients) {
  std::vector<double> sum(vectors[0].size(), 0.0);
  for (std::size_t k = 0; k < vectors.size(); ++k)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += coefficients[k] * vectors[k][i];
  return sum;
}

}  // namespace

template <class Real>
std::vector<std::vector<double>> free_combinations(std::shared_ptr<const BlockMatrix<Real>> matrix,
                                                   const Columns& vectors) {
  constexpr double tolerance = std::is_same_v<Real, float> ? 1e-5 : 1e-10;
  const MatrixOperator<Real, double> a(std::move(matrix));
  const Comm& comm = a.comm();
  Columns w = scaled_products(a, vectors);
  Columns v(vectors.size(), std::vector<double>(vectors.size(), 0.0));
  for (std::size_t k = 0; k < v.size(); ++k) v[k][k] = 1;
  orthogonalise_columns(comm, w, v);
  Columns free;
  for (std::size_t k = 0; k < v.size(); ++k)
    if (largest_entry(comm, w[k]) <= tolerance * largest_entry(comm, combine(vectors, v[k])))
      free.push_back(v[k]);
  return free;
}

template std::vector<std::vector<double>> free_combinations(
    std::shared_ptr<const BlockMatrix<float>>, const Columns&);
template std::vector<std::vector<double>> free_combinations(
    std::shared_ptr<const BlockMatrix<double>>, const Columns&);

}  // namespace trestle::solver
