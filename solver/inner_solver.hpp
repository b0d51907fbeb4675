// InnerSolver: one set-up method of solving A d = r for a residual of norm 1; LinearSolver checks
// and repeats it.
#pragma once

#include <string>
#include <vector>

#include "solver/krylov/krylov.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::solver {

class InnerSolver {
 public:
  virtual ~InnerSolver() = default;

  /// d = A^-1 r, nearly. `r` has norm 1 and is used up; `d` is overwritten on owned entries.
  /// Collective.
  virtual KrylovOutcome solve(Vector<double>& r, Vector<double>& d, const KrylovTarget& target,
                              const IterationObserver& observer) = 0;

  /// What `update` has come to.
  enum class Update { refused, kept, anew };
  /// The values of the matrix have changed in place, its pattern and the near-null vectors have
  /// not: takes them, with what it `kept` of the matrix that it was made from, or all made `anew`;
  /// or refuses, and must be made again. Throws as it does when it is made. Collective.
  virtual Update update(const std::vector<std::vector<double>>& /*near_null*/) {
    return Update::refused;
  }
  /// Whether `update` keeps something.
  virtual bool keeps() const { return false; }

  virtual std::string method() const = 0;          // SolveResult::method
  virtual std::string preconditioner() const = 0;  // SolveResult::preconditioner
  /// Near-null vectors that the preconditioner took.
  virtual int near_null_vectors() const { return 0; }
  /// Of the own multigrid.
  virtual std::vector<MultigridLevel> levels() const { return {}; }
  /// One sentence about what was found beyond the reason, such as a count of zero pivots, or "".
  virtual std::string remark() const { return ""; }
  /// Zero pivots that a factorisation met and passed over: the dimension of the null space.
  virtual int zero_pivots() const { return 0; }
  /// Negative pivots of a symmetric factorisation: as many negative eigenvalues as the matrix has
  /// [Sylvester's law of inertia]; -1: not known.
  virtual int negative_pivots() const { return -1; }
  /// Whether there are no factors for want of memory.
  virtual bool out_of_memory() const { return false; }
};

}  // namespace trestle::solver
