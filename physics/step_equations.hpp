// StepEquations: the equations of one step of an analysis, as Newton's method sees them.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "physics/analysis.hpp"
#include "solver/matrix/matrix_operator.hpp"
#include "solver/steps/newton.hpp"
#include "solver/steps/step_form.hpp"
#include "solver/steps/tangent_solver.hpp"

namespace trestle::physics {

/// C'(F(t, u) + c - M (a u + h) - (a w(u) + g) - K (b u + k)) = 0 in the form of a time scheme,
/// with F = external less internal forces at the time of the analysis; without a form F alone.
/// Where forces are linear in u, K and M are assembled once, and a step costs their products and a
/// solve; the matrix (1 + b) K + a M is formed anew when a or b changes.
class StepEquations final : public solver::NonlinearSystem {
 public:
  /// `capacity` is null for static analyses; it and the analysis outlive this. Collective.
  StepEquations(Analysis& analysis, const solver::SolverOptions& options, Capacity* capacity,
                MassKind mass);

  /// The form of the present step.
  void use(const solver::StepForm& form) { form_ = form; }
  /// Tells that the time or the load factor of the analysis has changed.
  void forces_changed() { forces_at_zero_.reset(); }
  /// Called after each iteration of the linear solves of corrections; what it throws, on all ranks
  /// alike, ends them.
  void observe_solves(solver::IterationObserver observer) { observer_ = std::move(observer); }
  /// M u' = F(t, u) + c for a rate or acceleration u' whose prescribed values stand in it already;
  /// `c` may be null. Throws NumericalError (80). Collective.
  void solve_rate(const solver::Vector<double>& u, const solver::Vector<double>* c,
                  solver::Vector<double>& rate);
  /// F(t, u) on owned entries; returns the size of its parts. Collective.
  double forces(const solver::Vector<double>& u, solver::Vector<double>& r);
  /// product = M v and K v with K at rest, owned entries; v's ghosts are up to date. Collective.
  void apply_mass(const solver::Vector<double>& v, solver::Vector<double>& product);
  void apply_stiffness(const solver::Vector<double>& v, solver::Vector<double>& product);

  /// Of static analyses: from `u`, the solution of the step before, to the prescribed values of
  /// this one, the rest of the body along the tangent at u: a first guess that distorts no cells at
  /// supports that move. Leaves the prescribed values alone in place where the linear solve fails.
  /// Collective.
  void predict(solver::Vector<double>& u);

  /// Reactions at u, with the inertia of the nodes that are held, owned entries. Collective.
  solver::Vector<double> reactions(const solver::Vector<double>& u);

  /// What a solver keeps of a matrix that is gone, such as the aggregates of multigrid: where that
  /// was assembled, so that loading makes the same again, to the last bit on the same ranks.
  /// Between steps; leaves the time of the analysis elsewhere. To be visited before the analysis.
  /// Collective.
  void visit(solver::StateVisitor& visitor);

  /// Sum over all nodes of M (a u + h) + a w(u) + g: what is stored per time. Collective.
  double stored_rate(const solver::Vector<double>& u);
  /// w(u), owned entries; 0 where nothing melts and capacities do not depend on temperature.
  void content(const solver::Vector<double>& u, solver::Vector<double>& w) const;
  /// Everything that is out of balance, before constraints, owned entries; returns the size of its
  /// parts. Collective.
  double unbalanced(const solver::Vector<double>& u, solver::Vector<double>& r);
  /// The matrix of the correction at u, with constraints, for solvers of several fields: brings its
  /// values up to date, which are always in the same place; false where they have not changed.
  /// Collective.
  bool update_matrix(const solver::Vector<double>& u);
  std::shared_ptr<const solver::BlockMatrix<double>> matrix() const { return matrix_; }
  solver::MatrixTraits traits() const;

  double residual(const solver::Vector<double>& u, solver::Vector<double>& r) override;
  solver::SolveResult correction(const solver::Vector<double>& u, const solver::Vector<double>& r,
                                 double target, solver::Vector<double>& du) override;
  void limit(const solver::Vector<double>& u, solver::Vector<double>& du) const override;
  bool descends() const override {
    return capacity_ == nullptr || capacity_->latent_heat() == nullptr;
  }
  bool linear() const override { return linear_; }

 private:
  using Matrix = solver::BlockMatrix<double>;
  /// Where the matrix was assembled that the solver was set up from.
  struct Basis {
    double time = 0, load_factor = 1;
    double mass_factor = 0, stiffness_factor = 0;
    // Of equations that are not linear:
    std::optional<solver::Vector<double>> u, mass_offset;
    std::int64_t n_accepted = 0;              // of the analysis: 0 where materials remember nothing
    std::vector<gpu::Array<double>> history;  // else what they remembered
  };
  /// Notes the present matrix, at u, as the basis if the solver was set up from it.
  void note_basis(const solver::Vector<double>& u);
  void visit_basis(solver::StateVisitor& visitor);
  /// Assembles the matrix of the basis again and sets the solver up.
  void set_up_from_basis();
  void set_up_with(double mass_factor, double stiffness_factor, const solver::Vector<double>& u);
  void set_up_at(const solver::Vector<double>& u);
  solver::Vector<double> make_vector(const char* item) const;
  solver::Vector<double> copy_of(const solver::Vector<double>& from) const;
  std::shared_ptr<Matrix> make_matrix() const;
  /// Whether w(u) is all that is stored, instead of M u.
  bool stores_enthalpy() const { return capacity_ != nullptr && capacity_->enthalpy() != nullptr; }
  /// r -= what the form has of rates; returns the size of these parts.
  double subtract_rates(const solver::Vector<double>& u, solver::Vector<double>& r);
  const solver::Vector<double>& forces_at_zero();
  /// Of `linear` equations, and of those that K damps.
  void assemble_stiffness();
  void assemble_mass();
  /// matrix_ = (1 + b) K + a M at u, before constraints.
  void assemble_tangent(const solver::Vector<double>& u);
  void add_mass(const fem::CellCoefficient& coefficient, double factor, Matrix& matrix) const;
  /// matrix += the derivative of M u' by u.
  void add_capacity(const solver::Vector<double>& u, Matrix& matrix) const;

  Analysis& analysis_;
  Capacity* capacity_;
  bool linear_;  // in u
  bool lumped_;
  fem::MatrixLayout layout_;
  solver::TangentSolver solver_;
  solver::StepForm form_;
  std::shared_ptr<Matrix> matrix_;                       // the one that is set up
  std::optional<std::array<double, 2>> matrix_factors_;  // its a and b
  Basis basis_;
  solver::IterationObserver observer_;
  std::int64_t n_set_ups_ = 0;                      // of the solver, when the basis was noted
  std::shared_ptr<const Matrix> stiffness_, mass_;  // linear: without constraints
  std::unique_ptr<const solver::MatrixOperator<double>> stiffness_product_, mass_product_;
  std::unique_ptr<const solver::Vector<double>> lumped_mass_;  // for the present capacity
  std::unique_ptr<const solver::Vector<double>> forces_at_zero_;
};

}  // namespace trestle::physics
