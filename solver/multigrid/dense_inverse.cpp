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
  // A pivot near rounding says as little as a negative one.
  double least = a[0], largest = a[0];
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    const double pivot = a[i * static_cast<std::size_t>(n) + i];
    least = std::min(least, pivot);
    largest = std::max(largest, pivot);
  }
  if (!(least > 1e-7 * largest)) return false;
  LAPACKpotri_("L", &size, a.data(), &size, &info);
  if (info != 0) return false;
  mirror(a, static_cast<std::size_t>(n));
  return true;
}

DenseInverse invert_by_eigenvalues(std::vector<double> a, int n) {
  constexpr double zero = 1e-10;
  const auto size = static_cast<std::size_t>(n);
  auto order = static_cast<PetscBLASInt>(n);
  std::vector<double> lambda(size), work(34 * size);
  auto n_work = static_cast<PetscBLASInt>(work.size());
  PetscBLASInt info = 0;
  LAPACKsyev_("V", "L", &order, a.data(), &order, lambda.data(), work.data(), &n_work, &info);
  const double largest = lambda.back();
  if (info != 0 || !(largest > 0) || !std::isfinite(largest) || lambda.front() < -zero * largest)
    throw NumericalError(
        ExitCode::diverged,
        fmt::format("multigrid: the coarsest level of {} unknowns has eigenvalues from {:.3g} to "
                    "{:.3g}, so the matrix is not positive definite",
                    n, lambda.front(), largest));
  DenseInverse inverse{std::vector<double>(size * size, 0.0), 0};
  for (std::size_t k = 0; k < size; ++k) {
    if (lambda[k] <= zero * largest) {
      ++inverse.n_dropped;
      continue;
    }
    const double* v = a.data() + k * size;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        inverse.values[i * size + j] += v[i] * v[j] / lambda[k];
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
  DenseInverse inverse{a, 0};
  if (!invert_by_cholesky(inverse.values, n)) inverse = invert_by_eigenvalues(std::move(a), n);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) inverse.values[i * size + j] *= d[i] * d[j];
  return inverse;
}

}  // namespace trestle::solver
