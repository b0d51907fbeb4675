// TangentSolver: solves with a matrix whose values change, in the precision that the options name.
#pragma once

#include <memory>

#include "solver/linear_solver.hpp"
#include "solver/true_residual.hpp"

namespace trestle::solver {

class TangentSolver {
 public:
  TangentSolver(SolverOptions options, MatrixTraits traits);

  /// Sets up for the values that the matrix has now, the same matrix in every call; after the first
  /// one the preconditioner follows where it can. It is rounded to float where the options say
  /// `single`. Throws as LinearSolver does. Collective.
  void set_up(const std::shared_ptr<const BlockMatrix<double>>& matrix);
  /// As LinearSolver::solve_to; what the set-up took is in the first result after it. Collective.
  SolveResult solve(double tolerance, const Vector<double>& b, Vector<double>& x,
                    const IterationObserver& observer = {});

  /// As LinearSolver's; 0, false and nothing before the first set-up. Collective.
  std::int64_t n_set_ups() const;
  bool keeps() const;
  void visit(StateVisitor& visitor);

 private:
  SolverOptions options_;
  MatrixTraits traits_;
  std::shared_ptr<BlockMatrix<float>> rounded_;     // of `single`
  std::unique_ptr<TrueResidual<double>> residual_;  // of `single`
  std::unique_ptr<LinearSolver<double>> in_double_;
  std::unique_ptr<LinearSolver<float>> in_single_;
};

}  // namespace trestle::solver
