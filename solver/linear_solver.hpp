// LinearSolver: one matrix, any number of right-hand sides, by the method that the options or
// `auto` name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solver/matrix/block_matrix.hpp"
#include "solver/matrix/vector.hpp"
#include "solver/options.hpp"
#include "solver/state_visitor.hpp"

namespace trestle::solver {

/// What a solver may know about a matrix besides its entries.
struct MatrixTraits {
  bool symmetric = true;
  bool positive_definite = true;  // of a matrix that is not symmetric: its symmetric part
  int dim = 3;
  /// Near-null space: each vector [owned node, block], host. Rigid-body modes for elasticity,
  /// constants for heat.
  std::vector<std::vector<double>> near_null;
  /// Coordinates of owned nodes [node, 3] for preconditioners that want them. [m]
  std::vector<double> coordinates;
  /// Whether `update_matrix` will be called: multigrid keeps what it then needs.
  bool updates = false;
};

/// r = b - A x in double, of a system that the matrix of a solver is rounded from; x has its ghosts
/// up to date. Collective.
using ExactResidual =
    std::function<void(const Vector<double>& b, Vector<double>& x, Vector<double>& r)>;

/// `Real` is what the matrix is stored in: float for Precision::single, else double. In float, a
/// solve corrects x in double by residuals in double, as often as it needs.
template <class Real>
class LinearSolver {
 public:
  /// Sets up the preconditioner (timed as setup_s of the first result). Throws Error on all ranks:
  /// 78 for options that do not fit each other or that PETSc does not know, 81 when the matrix
  /// holds a value that is not finite, 71 or 83 for lack of memory, 80 when the method that the
  /// options name cannot be set up. Collective.
  LinearSolver(const SolverOptions& options, std::shared_ptr<const BlockMatrix<Real>> matrix,
               MatrixTraits traits);
  ~LinearSolver();
  LinearSolver(LinearSolver&&) noexcept;

  /// To be called after the values of the matrix were changed in place, with the same pattern and
  /// traits: the preconditioner follows, at less than a set-up where multigrid can keep its
  /// aggregates. Timed as setup_s of the next result; a method that has failed before is not tried
  /// again. Throws as the constructor. Collective.
  void update_matrix();

  /// How often the present method was set up from the values that the matrix had, other than by
  /// an update that keeps something; the same on all ranks.
  std::int64_t n_set_ups() const;
  /// Whether `update_matrix` keeps something of the matrix at the last of these set-ups.
  bool keeps() const;
  /// The method that is in use. Collective.
  void visit(StateVisitor& visitor);

  /// Solves A x = b; x holds the initial guess and receives the solution, its ghosts up to date.
  /// A zero b gives x = 0. Where it does not converge, x is the best found, or the guess: values
  /// are finite if the guess was. With `exact`, that is the residual that counts, and x solves the
  /// system that the matrix is rounded from. Collective.
  SolveResult solve(const Vector<double>& b, Vector<double>& x,
                    const IterationObserver& observer = {}, const ExactResidual& exact = {});
  /// The same to another tolerance than that of the options.
  SolveResult solve_to(double tolerance, const Vector<double>& b, Vector<double>& x,
                       const IterationObserver& observer = {}, const ExactResidual& exact = {});

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

extern template class LinearSolver<float>;
extern template class LinearSolver<double>;

}  // namespace trestle::solver
