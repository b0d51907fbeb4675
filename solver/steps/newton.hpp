// Newton's method with line search for the equations of a step.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/matrix/vector.hpp"
#include "solver/options.hpp"
#include "solver/state_visitor.hpp"
#include "solver/steps/newton_options.hpp"

namespace trestle::solver {

/// Equations r(u) = 0, constraints included: r is C' of the forces that are out of balance.
class NonlinearSystem {
 public:
  virtual ~NonlinearSystem() = default;
  /// r at u, whose ghosts are up to date, owned entries; returns the size of the forces whose
  /// difference it is (a 2-norm), by which a residual is small or large. May throw an Error
  /// (81), on all ranks, where it has no value at u. Collective.
  virtual double residual(const Vector<double>& u, Vector<double>& r) = 0;
  /// du with K(u) du = r, prescribed values unchanged, its ghosts up to date. `target` is the part
  /// of ||r|| that may be left. Collective.
  virtual SolveResult correction(const Vector<double>& u, const Vector<double>& r, double target,
                                 Vector<double>& du) = 0;
  /// Changes a correction of u where its equations have kinks that it must not jump over to and
  /// fro. Collective.
  virtual void limit(const Vector<double>&, Vector<double>&) const {}
  /// Whether a correction that makes the residual larger was too long: not where `limit` changes
  /// it, as its residual may grow on the way.
  virtual bool descends() const { return true; }
  /// Whether one correction is the solution.
  virtual bool linear() const = 0;
};

struct NewtonIteration {
  double residual = 0;   // ||r|| / size of the forces, before the correction
  double increment = 0;  // ||du|| / ||u||, of the whole correction; u or the last solution
  double length = 1;     // of the line search
  int linear_iterations = 0;
};

enum class NewtonReason {
  converged,
  max_iterations,
  not_a_number,
  no_descent,  // no length makes the residual smaller
  linear_solver_failed,
};
const char* to_string(NewtonReason reason);

struct [[nodiscard]] NewtonResult {
  NewtonReason reason = NewtonReason::max_iterations;
  bool converged = false;
  std::vector<NewtonIteration> iterations;  // one for each correction
  double residual = 0;                      // the last one
  std::string message;                      // one sentence, "" where it converged as asked
  std::string fault;                        // why the residual has no value; "" where it has one
  SolveResult last_solve;                   // of the last correction
  double setup_s = 0, solve_s = 0;          // of all corrections
  int linear_iterations = 0;                // of all corrections
};

/// By what residuals and corrections are measured: norms at the solutions that were found before,
/// so that those at u = 0 are large or small beside something.
struct NewtonScales {
  double forces = 0, largest_forces = 0;  // of the last one, and of all
  double u = 0, largest_u = 0;
  void visit(const std::string& name, StateVisitor& visitor);
};

/// Called with the number of corrections so far and the relative residual.
using NewtonObserver = std::function<void(int number, double residual)>;

/// Improves u, whose prescribed values and ghosts are up to date, until r(u) = 0. A correction is
/// shortened where it would make ||r|| larger [Dennis & Schnabel 1996, sec. 6.3]. Linear systems
/// are solved as far as the quadratic convergence needs [Eisenstat & Walker 1996, choice 2]. Where
/// it converges, `scales` follow. Collective.
NewtonResult newton(NonlinearSystem& system, const NewtonOptions& options, NewtonScales& scales,
                    Vector<double>& u, const NewtonObserver& observer = {});

}  // namespace trestle::solver
