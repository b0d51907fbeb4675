#include "solver/krylov/minres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/krylov/krylov_kernels.hpp"

namespace trestle::solver {

/// The tridiagonal matrix, made triangular by Givens rotations as it grows.
template <class Real>
struct Minres<Real>::Recurrence {
  double gamma, gamma_before = 1;  // norms of v in M^-1: the entries beside the diagonal
  double delta = 0, gamma_next = 0;
  double c = 1, s = 0, c_before = 1, s_before = 0;
  double eta;          // residual norm in M^-1, with a sign
  double largest = 0;  // entry so far: what rounding is measured by

  explicit Recurrence(double norm) : gamma(norm), eta(norm) {}

  bool is_rounding(double value) {
    largest = std::max({largest, std::abs(delta), gamma_next});
    return !(value > 10 * std::numeric_limits<Real>::epsilon() * largest);
  }
  double sub_diagonal() const { return c * delta - c_before * s * gamma; }
  double pivot() const { return std::hypot(sub_diagonal(), gamma_next); }

  /// Eliminates gamma_next and goes to the next column.
  MinresStep rotate() {
    const double rho = pivot();
    const double c_next = sub_diagonal() / rho, s_next = gamma_next / rho;
    const MinresStep step{.of_z = 1 / (gamma * rho),
                          .of_w = (s * delta + c_before * c * gamma) / rho,
                          .of_before = s_before * gamma / rho,
                          .length = c_next * eta,
                          .keep = s_next * s_next,
                          .of_v = eta * c_next / rho};
    eta *= -s_next;
    c_before = std::exchange(c, c_next);
    s_before = std::exchange(s, s_next);
    gamma_before = std::exchange(gamma, gamma_next);
    return step;
  }
};

template <class Real>
Minres<Real>::Minres(const Operator<Real>& a, ApproximateInverse<Real>& m)
    : a_(a),
      m_(m),
      v_(a.make_vector("krylov vectors")),
      v_before_(a.make_vector("krylov vectors")),
      z_(a.make_vector("krylov vectors")),
      z_next_(a.make_vector("krylov vectors")),
      q_(a.make_vector("krylov vectors")),
      w_(a.make_vector("krylov vectors")),
      w_before_(a.make_vector("krylov vectors")) {}

template <class Real>
void Minres<Real>::start(const Vector<Real>& r, Vector<Real>& x) {
  const gpu::Device& device = a_.device();
  gpu::copy(device, r.owned(), v_.owned());
  for (Vector<Real>* vector : {&x, &v_before_, &w_, &w_before_})
    gpu::fill(device, vector->owned(), 0);
}

template <class Real>
KrylovOutcome Minres<Real>::solve(Vector<Real>& r, Vector<Real>& x, const KrylovTarget& target,
                                  const IterationObserver& observer) {
  const gpu::Device& device = a_.device();
  start(r, x);
  const double norm0 = norm(r);
  if (!std::isfinite(norm0)) return {Reason::not_a_number, 0, norm0};
  if (norm0 == 0) return {Reason::converged, 0, 0};
  m_.apply(v_, norm0, z_);
  const double first = dot(v_, z_);
  if (!(first > 0)) return {reason_of(first), 0, 1};
  Recurrence numbers(std::sqrt(first));
  const double size = norm0 / numbers.gamma;  // of Lanczos vectors, as far as |A M^-1| is 1
  double relative = 1;
  Progress progress(target.patience);
  for (int k = 1; k <= target.max_iterations; ++k) {
    a_.apply(z_, q_);
    numbers.delta = dot(q_, z_) / (numbers.gamma * numbers.gamma);
    lanczos_step<Real>(device, 1 / numbers.gamma, owned(q_), numbers.delta / numbers.gamma,
                       owned(v_), numbers.gamma / numbers.gamma_before, v_before_.owned());
    std::swap(v_, v_before_);
    m_.apply(v_, size, z_next_);
    const double square = dot(v_, z_next_);
    if (!std::isfinite(numbers.delta) || !(square >= 0)) return {reason_of(square), k, relative};
    numbers.gamma_next = std::sqrt(square);
    if (numbers.is_rounding(numbers.pivot())) return {Reason::breakdown, k, relative};

    const double sum = minres_step<Real>(device, numbers.rotate(), owned(z_), owned(w_),
                                         w_before_.owned(), owned(v_), x.owned(), r.owned());
    std::swap(w_, w_before_);
    std::swap(z_, z_next_);
    relative = std::sqrt(a_.comm().sum(sum)) / norm0;
    if (!std::isfinite(relative)) {
      gpu::fill(device, x.owned(), 0);
      return {Reason::not_a_number, k, relative};
    }
    if (observer) observer(k, relative);
    if (relative <= target.tolerance) return {Reason::converged, k, relative};
    if (numbers.is_rounding(numbers.gamma)) return {Reason::breakdown, k, relative};
    if (progress.stagnated(k, relative)) return {Reason::stagnated, k, relative};
  }
  return {Reason::max_iterations, target.max_iterations, relative};
}

template class Minres<float>;
template class Minres<double>;

}  // namespace trestle::solver
