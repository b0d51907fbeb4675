// TangentSolver: solves with one matrix after another of the same pattern, in the precision that
// the options name.
#pragma once

#include <memory>
#include <variant>

#include "solver/linear_solver.hpp"

namespace trestle::solver {

class TangentSolver {
 public:
  TangentSolver(SolverOptions options, MatrixTraits traits)
      : options_(std::move(options)), traits_(std::move(traits)) {}

  /// Sets up for a matrix, which is rounded to float where the options say `single`. Throws as
  /// LinearSolver does. Collective.
  void set_matrix(std::shared_ptr<const BlockMatrix<double>> matrix);
  /// As LinearSolver::solve_to; what the set-up took is in the first result after it. Collective.
  SolveResult solve(double tolerance, const Vector<double>& b, Vector<double>& x,
                    const IterationObserver& observer = {});

 private:
  template <class Real>
  using Solver = std::unique_ptr<LinearSolver<Real>>;

  SolverOptions options_;
  MatrixTraits traits_;
  std::variant<Solver<double>, Solver<float>> solver_;
};

}  // namespace trestle::solver
