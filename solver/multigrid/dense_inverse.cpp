#include "solver/multigrid/dense_inverse.hpp"

#include <fmt/format.h>
#include <petscsys.h>
// Needs the names of petscsys.h.
#include <petscblaslapack.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace trestle::solver {
namespace {

/// d A d with d such that the diagonal becomes 1: entries of unlike size do not hide each other.
std::vector<double> scale_diagonal(std::vector<double>& a, std::size_t n) {
  std::vector<double> d(n);
  for (std::size_t i = 0; i < n; ++i) d[i] = a[i * n + i] > 0 ? 1 / std::sqrt(a[i * n + i]) : 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a[i * n + j] *= d[i] * d[j];
  return d;
}

/// Both triangles from the lower one of column-major storage, which is the upper one here.
void mirror(std::vector<double>& a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) a[i * n + j] = a[j * n + i];
}

bool invert_by_cholesky(std::vector<double>& a, int n) {
  const auto size = static_cast<PetscBLASInt>(n);
  PetscBLASInt info = 0;
  LAPACKpotrf_("L", &size, a.data(), &size, &info);
  if (info != 0) return false;
  // These are roots of pivots; one near rounding says as little as a negative one.
  double least = a[0], largest = a[0];
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    const double pivot = a[i * static_cast<std::size_t>(n) + i];
    least = std::min(least, pivot);
    largest = std::max(largest, pivot);
  }
  if (!(least > 1e-6 * largest)) return false;
  LAPACKpotri_("L", &size, a.data(), &size, &info);
  if (info != 0) return false;
  mirror(a, static_cast<std::size_t>(n));
  return true;
}

DenseInverse invert_by_eigenvalues(std::vector<double> a, int n) {
  constexpr double zero = 1e-13;
  const auto size = static_cast<std::size_t>(n);
  auto order = static_cast<PetscBLASInt>(n);
  std::vector<double> lambda(size), work(34 * size);
  auto n_work = static_cast<PetscBLASInt>(work.size());
  PetscBLASInt info = 0;
  LAPACKsyev_("V", "L", &order, a.data(), &order, lambda.data(), work.data(), &n_work, &info);
  if (info != 0)
    throw NumericalError(
        ExitCode::diverged,
        fmt::format("multigrid: no eigenvalues were found of the coarsest level, {} unknowns", n));
  const double largest = std::max(std::abs(lambda.front()), std::abs(lambda.back()));
  DenseInverse inverse{std::vector<double>(size * size, 0.0)};
  for (std::size_t k = 0; k < size; ++k) {
    const double magnitude = std::abs(lambda[k]);
    if (magnitude <= zero * largest) {
      ++inverse.n_zero;
      continue;
    }
    if (lambda[k] < 0) ++inverse.n_negative;
    const double* v = a.data() + k * size;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        inverse.values[i * size + j] += v[i] * v[j] / magnitude;
  }
  return inverse;
}

}  // namespace

DenseInverse invert_symmetric(std::vector<double> a, int n) {
  for (const double value : a)
    if (!std::isfinite(value))
      throw NumericalError(ExitCode::diverged,
                           "multigrid: the coarsest level holds a value that is not finite");
  const auto size = static_cast<std::size_t>(n);
  const std::vector<double> d = scale_diagonal(a, size);
  DenseInverse inverse{a};
  if (!invert_by_cholesky(inverse.values, n)) inverse = invert_by_eigenvalues(std::move(a), n);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) inverse.values[i * size + j] *= d[i] * d[j];
  return inverse;
}

}  // namespace trestle::solver
