// StepEquations: the equations of one step of an analysis, as Newton's method sees them.
#pragma once

#include <memory>
#include <optional>

#include "physics/analysis.hpp"
#include "solver/matrix_operator.hpp"
#include "solver/newton.hpp"
#include "solver/tangent_solver.hpp"

namespace trestle::physics {

/// C'(F(t, u) - M u') = 0 with F = external less internal forces at the time of the analysis and
/// u' = a u + h; without inertia F alone. Where forces are linear in u, K and M are assembled once,
/// and a step costs their products and a solve; the matrix K + a M is formed anew when a changes.
class StepEquations final : public solver::NonlinearSystem {
 public:
  /// `capacity` is null for static analyses; it and the analysis outlive this. Collective.
  StepEquations(Analysis& analysis, const solver::SolverOptions& options, Capacity* capacity,
                MassKind mass);

  /// u' = a u + h from now on; h outlives its use.
  void use_rate(double a, const solver::Vector<double>& h);
  /// Tells that the time or the load factor of the analysis has changed.
  void forces_changed() { forces_at_zero_.reset(); }
  /// M u' = F(t, u) for a u' whose prescribed values stand in `rate` already. Throws NumericalError
  /// (80). Collective.
  void solve_rate(const solver::Vector<double>& u, solver::Vector<double>& rate);

  /// Of static analyses: from `u`, the solution of the step before, to the prescribed values of
  /// this one, the rest of the body along the tangent at u: a first guess that distorts no cells at
  /// supports that move. Leaves the prescribed values alone in place where the linear solve fails.
  /// Collective.
  void predict(solver::Vector<double>& u);

  /// Reactions at u, with the inertia of the nodes that are held, owned entries. Collective.
  solver::Vector<double> reactions(const solver::Vector<double>& u);

  double residual(const solver::Vector<double>& u, solver::Vector<double>& r) override;
  solver::SolveResult correction(const solver::Vector<double>& u, const solver::Vector<double>& r,
                                 double target, solver::Vector<double>& du) override;
  bool linear() const override { return linear_; }

 private:
  using Matrix = solver::BlockMatrix<double>;
  solver::Vector<double> make_vector(const char* item) const;
  /// sum += factor * M v, with the capacity at its present state; v's ghosts are up to date.
  void add_inertia(const solver::Vector<double>& v, double factor, solver::Vector<double>& sum);
  /// r = F(t, u) on owned entries; returns the size of its parts.
  double forces(const solver::Vector<double>& u, solver::Vector<double>& r);
  /// The same less M u'.
  double unbalanced(const solver::Vector<double>& u, solver::Vector<double>& r);
  double linear_forces(const solver::Vector<double>& u, solver::Vector<double>& r);
  const solver::Vector<double>& forces_at_zero();
  void assemble_constant_parts();
  /// matrix_ = K + a M at u, before constraints.
  void assemble_tangent(const solver::Vector<double>& u);
  void add_mass(const fem::CellCoefficient& coefficient, double factor, Matrix& matrix) const;
  /// matrix += the derivative of M u' by u.
  void add_capacity(const solver::Vector<double>& u, Matrix& matrix) const;
  solver::MatrixTraits traits() const;

  Analysis& analysis_;
  Capacity* capacity_;
  bool linear_;  // in u
  bool lumped_;
  fem::MatrixLayout layout_;
  solver::TangentSolver solver_;
  double a_ = 0;
  const solver::Vector<double>* h_ = nullptr;
  std::shared_ptr<Matrix> matrix_;                  // the one that is set up
  std::optional<double> matrix_a_;                  // its a
  std::shared_ptr<const Matrix> stiffness_, mass_;  // linear: without constraints
  std::unique_ptr<const solver::MatrixOperator<double>> stiffness_product_, mass_product_;
  std::unique_ptr<const solver::Vector<double>> lumped_mass_;  // for the present capacity
  std::unique_ptr<const solver::Vector<double>> forces_at_zero_;
};

}  // namespace trestle::physics
