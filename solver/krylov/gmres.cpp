#include "solver/krylov/gmres.hpp"

#include <cmath>
#include <limits>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/matrix/vector_kernels.hpp"

namespace trestle::solver {

/// The small least-squares problem of one cycle, kept triangular by Givens rotations.
template <class Real>
struct Gmres<Real>::Cycle {
  std::vector<std::vector<double>> columns;  // of R
  std::vector<double> cosines, sines;
  std::vector<double> rhs;

  explicit Cycle(double beta) : rhs{beta} {}

  /// Adds a column of the Hessenberg matrix; returns the residual norm.
  double add(std::vector<double> column, double below) {
    for (std::size_t i = 0; i < cosines.size(); ++i) {
      const double upper = cosines[i] * column[i] + sines[i] * column[i + 1];
      column[i + 1] = cosines[i] * column[i + 1] - sines[i] * column[i];
      column[i] = upper;
    }
    const double length = std::hypot(column.back(), below);
    const double c = length > 0 ? column.back() / length : 1;
    const double s = length > 0 ? below / length : 0;
    column.back() = length;
    columns.push_back(std::move(column));
    cosines.push_back(c);
    sines.push_back(s);
    rhs.push_back(-s * rhs.back());
    rhs[rhs.size() - 2] *= c;
    return std::abs(rhs.back());
  }

  /// Coefficients of the correction; a direction that the matrix annihilates gets none.
  std::vector<double> solution() const {
    const std::size_t n = columns.size();
    std::vector<double> y(n, 0.0);
    for (std::size_t i = n; i-- > 0;) {
      double value = rhs[i];
      for (std::size_t j = i + 1; j < n; ++j) value -= columns[j][i] * y[j];
      const double pivot = columns[i][i];
      const double largest = std::abs(columns[0][0]);
      y[i] = std::abs(pivot) > std::numeric_limits<double>::epsilon() * largest ? value / pivot : 0;
    }
    return y;
  }
};

template <class Real>
Gmres<Real>::Gmres(const Operator<Real>& a, ApproximateInverse<Real>& m, int restart)
    : a_(a), m_(m), restart_(restart) {}

template <class Real>
void Gmres<Real>::make_vectors(int k) {
  const auto n = static_cast<std::size_t>(k) + 1;
  if (basis_.size() > n) return;
  a_.comm().agree([&] {
    while (basis_.size() <= n) basis_.push_back(a_.make_vector("krylov vectors"));
    while (searches_.size() <= n) searches_.push_back(a_.make_vector("krylov vectors"));
  });
}

/// Classical Gram-Schmidt against v_0 .. v_k, twice (one message a pass); adds to `column` and
/// returns the norm that is left of w.
template <class Real>
double Gmres<Real>::orthogonalise(int k, Vector<Real>& w, std::vector<double>& column) const {
  const gpu::Device& device = a_.device();
  const Vector<Real>& w_read = w;
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<double> products;
    for (int i = 0; i <= k; ++i)
      products.push_back(
          gpu::dot(device, basis_[static_cast<std::size_t>(i)].owned(), w_read.owned()));
    a_.comm().sum(std::span<double>(products));
    for (int i = 0; i <= k; ++i) {
      const auto at = static_cast<std::size_t>(i);
      column[at] += products[at];
      gpu::axpy(device, -products[at], basis_[at].owned(), w.owned());
    }
  }
  return norm(w);
}

template <class Real>
KrylovOutcome Gmres<Real>::solve(Vector<Real>& r, Vector<Real>& x, const KrylovTarget& target,
                                 const IterationObserver& observer) {
  const gpu::Device& device = a_.device();
  gpu::fill(device, x.owned(), 0);
  const double norm0 = norm(r);
  if (!std::isfinite(norm0)) return {Reason::not_a_number, 0, norm0};
  if (norm0 == 0) return {Reason::converged, 0, 0};
  double beta = norm0;
  int iterations = 0;
  int slow_cycles = 0;
  while (iterations < target.max_iterations) {
    make_vectors(0);
    const Vector<Real>& residual = r;
    scaled_copy<Real, Real>(device, 1 / beta, residual.owned(), basis_[0].owned());
    Cycle cycle(beta);
    bool exhausted = false, too_slow = false;
    double estimate = beta;
    for (int k = 0; k < restart_ && iterations < target.max_iterations && !exhausted && !too_slow;
         ++k) {
      make_vectors(k);
      const auto at = static_cast<std::size_t>(k);
      m_.apply(basis_[at], 1, searches_[at]);
      Vector<Real>& w = basis_[at + 1];
      a_.apply(searches_[at], w);
      ++iterations;
      const double before = norm(w);
      std::vector<double> column(at + 1, 0.0);
      const double left = orthogonalise(k, w, column);
      if (!std::isfinite(left)) return {Reason::not_a_number, iterations, beta / norm0};
      exhausted = !(left > 10 * std::numeric_limits<Real>::epsilon() * before);
      if (!exhausted) gpu::scale(device, 1 / left, w.owned());
      estimate = cycle.add(std::move(column), exhausted ? 0 : left);
      if (observer) observer(iterations, estimate / norm0);
      if (estimate <= target.tolerance * norm0) break;
      too_slow = is_too_slow(target, iterations, estimate / norm0);
    }
    Vector<Real>& step = searches_[cycle.columns.size()];
    Vector<Real>& image = basis_[cycle.columns.size()];
    const std::vector<double> y = cycle.solution();
    gpu::fill(device, step.owned(), 0);
    for (std::size_t j = 0; j < y.size(); ++j) {
      const Vector<Real>& search = searches_[j];
      gpu::axpy(device, y[j], search.owned(), step.owned());
    }
    a_.apply(step, image);
    const Vector<Real>& step_read = step;
    const Vector<Real>& image_read = image;
    gpu::axpy(device, -1, image_read.owned(), r.owned());
    const double next = norm(r);
    if (!std::isfinite(next)) return {Reason::not_a_number, iterations, beta / norm0};
    gpu::axpy(device, 1, step_read.owned(), x.owned());
    slow_cycles = next > 0.99 * beta ? slow_cycles + 1 : 0;
    beta = next;
    if (beta <= target.tolerance * norm0) return {Reason::converged, iterations, beta / norm0};
    if (exhausted) return {Reason::breakdown, iterations, beta / norm0};
    if (too_slow) return {Reason::too_slow, iterations, beta / norm0};
    if (slow_cycles >= 3) return {Reason::stagnated, iterations, beta / norm0};
  }
  return {Reason::max_iterations, iterations, beta / norm0};
}

template class Gmres<float>;
template class Gmres<double>;

}  // namespace trestle::solver
