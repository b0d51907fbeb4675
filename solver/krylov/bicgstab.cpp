#include "solver/krylov/bicgstab.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/krylov/krylov_kernels.hpp"

namespace trestle::solver {
namespace {

/// Growth of the residual after which no digit of it would be left.
constexpr double largest_growth = 1e8;

/// Whether x.y, with |x| and |y| the product of `lengths`, is all rounding.
template <class Real>
bool is_rounding(double product, double lengths) {
  return !(std::abs(product) > std::numeric_limits<Real>::epsilon() * lengths);
}

/// For a quotient that is all rounding, or not a number.
Reason failure(double product) {
  return std::isfinite(product) ? Reason::breakdown : Reason::not_a_number;
}

}  // namespace

template <class Real>
Bicgstab<Real>::Bicgstab(const Operator<Real>& a, ApproximateInverse<Real>& m)
    : a_(a),
      m_(m),
      shadow_(a.make_vector("krylov vectors")),
      p_(a.make_vector("krylov vectors")),
      v_(a.make_vector("krylov vectors")),
      y_(a.make_vector("krylov vectors")),
      z_(a.make_vector("krylov vectors")),
      t_(a.make_vector("krylov vectors")) {}

template <class Real>
KrylovOutcome Bicgstab<Real>::solve(Vector<Real>& r, Vector<Real>& x, const KrylovTarget& target,
                                    const IterationObserver& observer) {
  const gpu::Device& device = a_.device();
  gpu::fill(device, x.owned(), 0);
  double pp = gpu::norm2_squared(device, owned(r));  // of this rank
  const double norm0 = std::sqrt(a_.comm().sum(pp));
  if (!std::isfinite(norm0)) return {Reason::not_a_number, 0, norm0};
  if (norm0 == 0) return {Reason::converged, 0, 0};
  gpu::copy(device, owned(r), shadow_.owned());
  gpu::copy(device, owned(r), p_.owned());
  double norm_r = norm0;
  double rho = norm0 * norm0;  // r.shadow
  double size = 0;             // of A M^-1, as far as it has shown
  Progress progress(target.patience);
  for (int k = 1; k <= target.max_iterations; ++k) {
    const auto stop = [&](Reason reason) -> KrylovOutcome { return {reason, k, norm_r / norm0}; };
    m_.apply(p_, norm_r, y_);
    a_.apply(y_, v_);
    const auto [sigma, vv] = dot_pair<Real>(device, owned(v_), owned(shadow_), owned(v_));
    std::array<double, 3> sums = {sigma, vv, pp};
    a_.comm().sum(std::span<double>(sums));
    size = std::max(size, std::sqrt(sums[1] / sums[2]));
    if (is_rounding<Real>(sums[0], norm0 * size * std::sqrt(sums[2])))
      return stop(failure(sums[0]));
    const double alpha = rho / sums[0];

    const double half = subtract_and_square<Real>(device, alpha, owned(v_), r.owned());
    const double norm_half = std::sqrt(a_.comm().sum(half));
    if (!std::isfinite(norm_half)) return stop(Reason::not_a_number);
    const bool done = norm_half <= target.tolerance * norm0;
    std::array<double, 2> tr_tt{};
    double omega = 0;
    if (!done) {
      m_.apply(r, norm_half, z_);
      a_.apply(z_, t_);
      tr_tt = dots(t_, r, t_);
      size = std::max(size, std::sqrt(tr_tt[1]) / norm_half);
      if (!is_rounding<Real>(tr_tt[0], norm_half * norm_half * size)) omega = tr_tt[0] / tr_tt[1];
    }
    if (omega == 0) {
      gpu::axpy(device, alpha, owned(y_), x.owned());
      norm_r = norm_half;
      if (observer) observer(k, norm_r / norm0);
      return stop(done ? Reason::converged : failure(tr_tt[0]));
    }

    std::array<double, 2> products =
        bicgstab_step<Real>(device, alpha, owned(y_), omega, owned(z_), owned(t_), owned(shadow_),
                            x.owned(), r.owned());
    a_.comm().sum(std::span<double>(products));
    norm_r = std::sqrt(products[0]);
    if (!std::isfinite(norm_r)) {
      gpu::fill(device, x.owned(), 0);
      return stop(Reason::not_a_number);
    }
    if (observer) observer(k, norm_r / norm0);
    if (norm_r <= target.tolerance * norm0) return stop(Reason::converged);
    if (norm_r > largest_growth * norm0) return stop(Reason::breakdown);
    if (progress.stagnated(k, norm_r)) return stop(Reason::stagnated);
    const double beta = products[1] / rho * (alpha / omega);
    rho = products[1];
    if (is_rounding<Real>(rho, norm0 * norm_r)) return stop(failure(rho));
    pp = bicgstab_direction<Real>(device, beta, omega, owned(r), owned(v_), p_.owned());
  }
  return {Reason::max_iterations, target.max_iterations, norm_r / norm0};
}

template class Bicgstab<float>;
template class Bicgstab<double>;

}  // namespace trestle::solver
