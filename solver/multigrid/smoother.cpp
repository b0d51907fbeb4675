#include "solver/multigrid/smoother.hpp"

#include <array>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/fourth_kind.hpp"
#include "solver/krylov/lambda_max.hpp"

namespace trestle::solver {
namespace {

constexpr int lanczos_steps = 10;

/// Weights of the steps in the solution [Lottes 2023, table 1, k = 2].
constexpr std::array<double, 2> weights{1.02387287570313, 1.26408905371085};

}  // namespace

template <class Real>
Smoother<Real>::Smoother(const LevelOperator<Real>& a, BlockJacobi<Real> jacobi)
    : a_(a),
      jacobi_(std::move(jacobi)),
      residual_(a.make_vector("preconditioner")),
      direction_(a.make_vector("preconditioner")),
      next_(a.make_vector("preconditioner")) {
  static_assert(degree == static_cast<int>(weights.size()));
  lambda_max_ = estimate_lambda_max(a, jacobi_, lanczos_steps);
}

template <class Real>
void Smoother<Real>::update(BlockJacobi<Real> jacobi) {
  jacobi_ = std::move(jacobi);
  lambda_max_ = estimate_lambda_max(a_, jacobi_, lanczos_steps);
}

template <class Real>
void Smoother<Real>::later_steps(const Vector<Real>& r, Vector<Real>& x, bool start) {
  const Vector<Real>* before = &r;
  for (int i = 1; i < degree; ++i) {
    const Vector<Real>& direction = direction_;
    a_.update_ghosts(direction_);
    const auto k = static_cast<std::size_t>(i);
    a_.matrix().next_step({.inverses = jacobi_.inverses(),
                           .keep = static_cast<Real>(fourth_kind_step(i).keep),
                           .add = static_cast<Real>(fourth_kind_step(i).add / lambda_max_),
                           .weight_before = static_cast<Real>(i == 1 ? weights[0] : 0),
                           .weight = static_cast<Real>(weights[k]),
                           .start = start && i == 1},
                          before->view(), direction.view(), residual_.view(), next_.view(),
                          x.view());
    std::swap(direction_, next_);
    before = &residual_;
  }
}

template <class Real>
void Smoother<Real>::smooth_zero(const Vector<Real>& b, Vector<Real>& x) {
  jacobi_.apply(b, 1, direction_);
  gpu::scale(a_.device(), fourth_kind_step(0).add / lambda_max_, direction_.owned());
  later_steps(b, x, true);
}

template <class Real>
void Smoother<Real>::smooth(const Vector<Real>& b, Vector<Real>& x) {
  a_.update_ghosts(x);
  const Vector<Real>& guess = x;
  a_.matrix().first_step({.inverses = jacobi_.inverses(),
                          .keep = 0,
                          .add = static_cast<Real>(fourth_kind_step(0).add / lambda_max_),
                          .weight_before = 0,
                          .weight = 0,
                          .start = false},
                         b.view(), guess.view(), residual_.view(), direction_.view());
  later_steps(residual_, x, false);
}

template <class Real>
const Vector<Real>& Smoother<Real>::residual(const Vector<Real>& b, Vector<Real>& x) {
  a_.update_ghosts(x);
  const Vector<Real>& guess = x;
  a_.matrix().residual(b.view(), guess.view(), residual_.view());
  a_.update_ghosts(residual_);
  return residual_;
}

template class Smoother<float>;
template class Smoother<double>;

}  // namespace trestle::solver
