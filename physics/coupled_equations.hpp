// CoupledEquations: the equations of one step of thermoelasticity in which heat and deformation
// change each other.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "fem/operators/dilatation_coupling.hpp"
#include "physics/step_equations.hpp"
#include "solver/block_solver.hpp"
#include "solver/state_visitor.hpp"

namespace trestle::physics {

/// Of displacement u (at rest at every instant) and temperature T, at the end of a step with the
/// rates a u + h [Nowacki 1986, sec. 1.5]:
///   F_u(t, u, T) = 0,   F_T(t, T) - M (a T + h_T) - D (a u + h_u) = 0,
/// where D u is the integral of N T_ref beta div u, beta = alpha (3 lambda + 2 mu): a body that is
/// compressed warms up. Vectors have the components of u and behind them T at every node. The
/// equations of each field are scaled by the size of their forces, so that a residual is small when
/// it is small in both.
class CoupledEquations final : public solver::NonlinearSystem {
 public:
  /// `analysis` is that of thermoelasticity, `of_heat` are the equations of its heat; both outlive
  /// this. Throws CaseError where a reference temperature is not absolute. Collective.
  CoupledEquations(Analysis& analysis, StepEquations& of_heat,
                   const solver::SolverOptions& options);

  /// As StepEquations'.
  void observe_solves(solver::IterationObserver observer) { observer_ = std::move(observer); }
  /// What the solver keeps of matrices that are gone, as StepEquations' of its own. Between steps;
  /// leaves time and temperatures elsewhere. Collective.
  void visit(solver::StateVisitor& visitor);

  const solver::FieldLayout& layout() const { return layout_; }
  solver::Vector<double> make_vector() const;
  /// The form of the present step, for vectors of both fields; its offset outlives the use.
  void use(const solver::StepForm& form);
  /// Sets the prescribed values of both fields.
  void impose(solver::Vector<double>& x) const;
  /// u with F_u(t, u, T) = 0 at the T of x, put into x. Throws NumericalError (80). Collective.
  void find_equilibrium(solver::Vector<double>& x);
  /// The parts of x, ghosts included.
  solver::Vector<double> displacement(const solver::Vector<double>& x) const;
  solver::Vector<double> temperature(const solver::Vector<double>& x) const;
  /// Reactions of both fields at x, owned entries. Collective.
  solver::Vector<double> reaction_forces(const solver::Vector<double>& x);
  solver::Vector<double> reaction_heat(const solver::Vector<double>& x);

  double residual(const solver::Vector<double>& x, solver::Vector<double>& r) override;
  solver::SolveResult correction(const solver::Vector<double>& x, const solver::Vector<double>& r,
                                 double target, solver::Vector<double>& dx) override;
  bool linear() const override { return linear_; }

 private:
  using Vector = solver::Vector<double>;
  struct Unbalanced {
    Vector force, heat;            // owned entries, before constraints
    double force_size, heat_size;  // of their parts
  };
  Unbalanced unbalanced(const Vector& x);
  /// The temperatures of x act on the body.
  void set_temperature(const Vector& T);
  /// beta and T_ref beta of the present temperatures, and G and D with them.
  void assemble_couplings(const Vector& T);
  void make_solver();
  /// Where the matrix of a field was assembled that its preconditioner was made from.
  struct Basis {
    double time = 0, mass_factor = 0;
    std::optional<Vector> x, mass_offset;  // where the matrix depends on them
    std::int64_t n_set_ups = 0;            // of the field, when this was noted
  };
  /// Notes the present matrices, at x, as bases of the preconditioners that were made from them.
  void note_bases(const Vector& x);
  /// Assembles the matrices of the bases again and makes the solver.
  void make_solver_from_bases();
  /// Sizes of forces below which they are what rounding leaves of the temperatures.
  void start_scales(const Vector& x);

  static constexpr int solid = 0, heat = 1;  // places in the layout

  Analysis& analysis_;
  solver::SolverOptions options_;
  StepEquations& of_heat_;
  StepEquations of_solid_;
  bool linear_, constant_couplings_;
  solver::FieldLayout layout_;
  fem::MatrixLayout matrix_layout_;
  std::shared_ptr<solver::RectangularMatrix> gradient_, divergence_;  // G, D
  solver::StepForm form_;
  Vector heat_offset_, solid_offset_;        // h_T, h_u
  double force_scale_ = 0, heat_scale_ = 0;  // sizes of the forces of the present step
  double least_force_ = 0, least_heat_ = 0;  // what they start from
  std::shared_ptr<double> rate_factor_;      // a, as the coupling of the solver reads it
  std::unique_ptr<solver::BlockSolver> solver_;
  std::array<Basis, 2> bases_;  // [field]
  solver::IterationObserver observer_;
};

}  // namespace trestle::physics
