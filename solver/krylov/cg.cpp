#include "solver/krylov/cg.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/krylov/krylov_kernels.hpp"

namespace trestle::solver {
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
  Progress progress(target.patience);
  for (int k = 1; k <= target.max_iterations; ++k) {
    a_.apply(p_, q_);
    const double pq = dot(p_, q_);
    if (!(pq > 0)) return {reason_of(pq), k, relative};
    const double alpha = rz / pq;
    alphas_.push_back(alpha);
    const double square = subtract_and_square<Real>(device, alpha, owned(q_), r.owned());
    relative = std::sqrt(a_.comm().sum(square)) / norm0;
    if (!std::isfinite(relative)) return {Reason::not_a_number, k, relative};
    if (observer) observer(k, relative);
    // x follows where p is read again, or here when this is the last step.
    const auto stop = [&](Reason reason) -> KrylovOutcome {
      gpu::axpy(device, alpha, owned(p_), x.owned());
      return {reason, k, relative};
    };
    if (relative <= target.tolerance) return stop(Reason::converged);
    if (progress.stagnated(k, relative)) return stop(Reason::stagnated);
    const auto [next, zq] = products(r, relative * norm0);
    if (!(next > 0)) return stop(reason_of(next));
    // z.(r - r_old) = -alpha z.q; the usual factor has next instead, equal for a fixed M.
    const double beta = flexible_ ? -alpha * zq / rz : next / rz;
    betas_.push_back(beta);
    rz = next;
    advance_and_turn<Real>(device, alpha, beta, owned(z_), p_.owned(), x.owned());
  }
  return {Reason::max_iterations, target.max_iterations, relative};
}

template <class Real>
std::array<double, 2> Cg<Real>::products(const Vector<Real>& r, double norm) {
  if (flexible_) return m_.apply_and_dot(r, norm, q_, z_);
  m_.apply(r, norm, z_);
  return {dot(r, z_), 0};
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
