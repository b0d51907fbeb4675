#include "solver/cg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/vector_ops.hpp"
#include "solver/inner_product.hpp"
#include "solver/vector_kernels.hpp"

namespace trestle::solver {
namespace {

template <class Real>
gpu::View<const Real, 1> owned(const Vector<Real>& x) {
  return x.owned();
}

/// What stops an iteration whose quotient has `value` on top or below, where it must be positive.
Reason reason_of(double value) {
  return std::isfinite(value) ? Reason::not_positive_definite : Reason::not_a_number;
}

}  // namespace

template <class Real>
Cg<Real>::Cg(const Operator<Real>& a, ApproximateInverse<Real>& m, bool flexible)
    : a_(a),
      m_(m),
      flexible_(flexible),
      p_(a.make_vector("krylov vectors")),
      q_(a.make_vector("krylov vectors")),
      z_(a.make_vector("krylov vectors")) {}

template <class Real>
KrylovOutcome Cg<Real>::solve(Vector<Real>& r, Vector<Real>& x, const KrylovTarget& target,
                              const IterationObserver& observer) {
  const gpu::Device& device = a_.device();
  alphas_.clear();
  betas_.clear();
  gpu::fill(device, x.owned(), 0);
  const double norm0 = norm(r);
  if (!std::isfinite(norm0)) return {Reason::not_a_number, 0, norm0};
  if (norm0 == 0) return {Reason::converged, 0, 0};

  m_.apply(r, norm0, z_);
  double rz = dot(r, z_);
  if (!(rz > 0)) return {reason_of(rz), 0, 1};
  gpu::copy(device, owned(z_), p_.owned());
  double relative = 1;
  double best = std::numeric_limits<double>::infinity();
  int best_at = 0;
  for (int k = 1; k <= target.max_iterations; ++k) {
    a_.apply(p_, q_);
    const double pq = dot(p_, q_);
    if (!(pq > 0)) return {reason_of(pq), k, relative};
    const double alpha = rz / pq;
    advance<Real>(device, alpha, owned(p_), owned(q_), x.owned(), r.owned());
    alphas_.push_back(alpha);
    relative = norm(r) / norm0;
    if (!std::isfinite(relative)) return {Reason::not_a_number, k, relative};
    if (observer) observer(k, relative);
    if (relative <= target.tolerance) return {Reason::converged, k, relative};
    if (relative < best) {
      best = relative;
      best_at = k;
    } else if (k - best_at >= target.patience) {
      return {Reason::stagnated, k, relative};
    }
    m_.apply(r, relative * norm0, z_);
    const double next = dot(r, z_);
    if (!(next > 0)) return {reason_of(next), k, relative};
    // z.(r - r_old) = -alpha z.q; the usual factor has next instead, equal for a fixed M.
    const double beta = flexible_ ? -alpha * dot(z_, q_) / rz : next / rz;
    betas_.push_back(beta);
    rz = next;
    next_direction<Real>(device, beta, owned(z_), p_.owned());
  }
  return {Reason::max_iterations, target.max_iterations, relative};
}

double largest_ritz_value(const std::vector<double>& alphas, const std::vector<double>& betas) {
  const std::size_t n = alphas.size();
  if (n == 0) return 0;
  std::vector<double> diagonal(n), squares(n, 0.0);  // squares[i] of the entry (i, i-1)
  double high = 0;
  for (std::size_t i = 0; i < n; ++i) {
    diagonal[i] = 1 / alphas[i] + (i > 0 ? betas[i - 1] / alphas[i - 1] : 0);
    if (i > 0) squares[i] = betas[i - 1] / (alphas[i - 1] * alphas[i - 1]);
  }
  for (std::size_t i = 0; i < n; ++i)
    high = std::max(
        high, diagonal[i] + std::sqrt(squares[i]) + (i + 1 < n ? std::sqrt(squares[i + 1]) : 0));
  double low = *std::max_element(diagonal.begin(), diagonal.end());
  while (high - low > 1e-10 * high) {
    // All pivots of T - middle I negative: no eigenvalue above the middle [Sylvester].
    const double middle = 0.5 * (low + high);
    bool below = true;
    double pivot = 1;
    for (std::size_t i = 0; i < n && below; ++i) {
      pivot = diagonal[i] - middle - (i > 0 ? squares[i] / pivot : 0);
      below = pivot < 0;
    }
    (below ? high : low) = middle;
  }
  return high;
}

template class Cg<float>;
template class Cg<double>;

}  // namespace trestle::solver
