#include "solver/tangent_solver.hpp"

namespace trestle::solver {

void TangentSolver::set_matrix(std::shared_ptr<const BlockMatrix<double>> matrix) {
  if (options_.precision == Precision::single)
    solver_ = std::make_unique<LinearSolver<float>>(
        options_, std::make_shared<const BlockMatrix<float>>(*matrix), traits_);
  else
    solver_ = std::make_unique<LinearSolver<double>>(options_, std::move(matrix), traits_);
}

SolveResult TangentSolver::solve(double tolerance, const Vector<double>& b, Vector<double>& x,
                                 const IterationObserver& observer) {
  return std::visit(
      [&](auto& solver) { return solver->solve_to(tolerance, b, x, observer); }, solver_);
}

}  // namespace trestle::solver
