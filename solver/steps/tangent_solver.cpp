#include "solver/steps/tangent_solver.hpp"

#include "gpu/vector_ops.hpp"

namespace trestle::solver {

TangentSolver::TangentSolver(SolverOptions options, MatrixTraits traits)
    : options_(std::move(options)), traits_(std::move(traits)) {
  traits_.updates = true;
}

void TangentSolver::set_up(const std::shared_ptr<const BlockMatrix<double>>& matrix) {
  if (options_.precision != Precision::single) {
    if (in_double_) return in_double_->update_matrix();
    in_double_ = std::make_unique<LinearSolver<double>>(options_, matrix, std::move(traits_));
    return;
  }
  if (in_single_) {
    gpu::copy(matrix->device(), matrix->values().view(), rounded_->values().view());
    return in_single_->update_matrix();
  }
  rounded_ = std::make_shared<BlockMatrix<float>>(*matrix);
  residual_ = std::make_unique<TrueResidual<double>>(matrix);
  in_single_ = std::make_unique<LinearSolver<float>>(options_, rounded_, std::move(traits_));
}

SolveResult TangentSolver::solve(double tolerance, const Vector<double>& b, Vector<double>& x,
                                 const IterationObserver& observer) {
  if (in_double_) return in_double_->solve_to(tolerance, b, x, observer);
  return in_single_->solve_to(tolerance, b, x, observer,
                              [&](const Vector<double>& right, Vector<double>& guess,
                                  Vector<double>& r) { residual_->compute(right, guess, r); });
}

std::int64_t TangentSolver::n_set_ups() const {
  return in_double_ ? in_double_->n_set_ups() : in_single_ ? in_single_->n_set_ups() : 0;
}

bool TangentSolver::keeps() const {
  return in_double_ ? in_double_->keeps() : in_single_ && in_single_->keeps();
}

void TangentSolver::visit(StateVisitor& visitor) {
  if (in_double_) in_double_->visit(visitor);
  if (in_single_) in_single_->visit(visitor);
}

}  // namespace trestle::solver
