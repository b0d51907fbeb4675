// Analysis: a problem on a mesh, discretised: its matrix, right sides, reactions and fluxes.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fem/constraints.hpp"
#include "fem/operators/cell_operator.hpp"
#include "physics/loads.hpp"
#include "physics/materials.hpp"
#include "physics/problem.hpp"
#include "physics/thermal_materials.hpp"
#include "solver/linear_solver.hpp"
#include "solver/state_visitor.hpp"

namespace trestle::physics {

class Analysis {
 public:
  /// Finds groups, materials, constraints and loads. Throws CaseError with every mistake at once,
  /// those in `mistakes` first. Collective.
  Analysis(const gpu::Device& device, std::shared_ptr<const mesh::Mesh> mesh, Problem problem,
           GroupLookup mistakes);
  Analysis(const gpu::Device& device, std::shared_ptr<const mesh::Mesh> mesh, Problem problem)
      : Analysis(device, mesh, std::move(problem), GroupLookup(*mesh)) {}
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  /// Of thermoelasticity the mechanical part; `heat` has the other one.
  const Problem& problem() const { return problem_; }
  const Description& description() const { return *description_; }
  Model model() const { return model_; }
  const fem::Discretisation& discretisation() const { return *discretisation_; }
  const mesh::Mesh& mesh() const { return discretisation_->mesh(); }
  const CellMaterials& materials() const { return materials_; }
  const fem::CellOperator& cells() const { return *cells_; }
  /// What makes the matrix of rates where the streamlines matter; null: a capacity will do.
  const fem::CellOperator* rates() const { return rates_.get(); }
  const fem::Constraints& constraints() const { return *constraints_; }
  int n_components() const { return n_components_; }
  /// Unknowns of a node, and of the mesh, with those of `heat`.
  int n_unknowns() const { return n_components_ + (heat_ ? heat_->n_components_ : 0); }
  GlobalIndex n_dofs() const { return mesh().nodes->n_global() * n_unknowns(); }
  /// Of thermoelasticity: the conduction of heat, on the same mesh; else null.
  Analysis* heat() { return heat_.get(); }
  const Analysis* heat() const { return heat_.get(); }
  /// What a person should know: overridden values at nodes, several parts, cells that lock. The
  /// same on all ranks.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Whether forces are linear in the solution, so that one matrix serves for all solutions.
  bool linear() const;
  /// Whether the matrix is the same at all times, where it is linear.
  bool constant() const {
    return linear() && loads_.front()->exchange_is_constant() && !moduli_change();
  }
  bool symmetric() const { return cells_->symmetric() && !loads_.front()->follow_the_surface(); }
  /// Time of loads and prescribed values [s], and the part of them that acts. Throws NumericalError
  /// (81) or CaseError where a value at that time is not right. Collective.
  void set_time(double time, double load_factor = 1);
  double time() const { return time_; }
  /// Whether loads change with time; prescribed values may all the same.
  bool loads_change() const { return loads_.front()->change(); }
  /// Whether surfaces exchange heat by radiation: temperatures are absolute.
  bool radiates() const { return !loads_.front()->exchange_is_linear(); }
  /// Whether prescribed values change with time.
  bool supports_move() const { return prescribed_changes_; }
  /// F(t, 0): what acts on a body that is at 0, owned entries. Collective.
  solver::Vector<double> forces_at_zero() const;
  /// Least and greatest prescribed value and ambient temperature at the present time; +-infinity
  /// where there are none. Collective.
  std::array<double, 2> data_range() const;
  /// The parameters of materials at u, whose ghosts are up to date; for residuals, matrices and
  /// results of that u. Collective.
  void set_state(const solver::Vector<double>& u);
  /// Of thermoelasticity: the temperatures of case `c`, whose ghosts are up to date, strain the
  /// body. Throws NumericalError (81) where a parameter at them is not right. Collective.
  void set_temperature(std::size_t c, const solver::Vector<double>& T);
  /// Of thermoelasticity: what couples both fields at the temperatures T. Collective.
  ThermalModuli thermal_moduli(const solver::Vector<double>& T) const;
  /// The step with the solution u is taken: what materials remember follows. Collective.
  void accept(const solver::Vector<double>& u);
  /// Steps that were accepted: before the first one, materials remember nothing.
  std::int64_t n_accepted() const { return n_accepted_; }
  /// What materials remember. Collective.
  void visit(solver::StateVisitor& visitor);
  double load_factor() const { return load_factor_; }
  /// What the points of each block remember, [component][point][cell].
  std::span<gpu::Array<double>> history() { return cells_->history(); }
  /// Which cell u turns inside out, or which node that radiates is below absolute zero, for a
  /// person;
  /// "" for none. Collective.
  std::string fault(const solver::Vector<double>& u) const;
  /// Of transient and modal analyses. Collective.
  Capacity make_capacity() const;

  std::size_t n_cases() const { return loads_.size(); }
  /// "" for the only case of a problem without load cases.
  const std::string& case_name(std::size_t c) const { return case_names_[c]; }

  /// Throws NumericalError (80) naming the parts that nothing holds, how they can move, and the sum
  /// of the loads; also for `heat`. Collective.
  void check_supports() const;

  /// C'KC, with the exchange of heat, at u = g; makes its pattern. The matrix is the same for all
  /// cases.
  solver::BlockMatrix<double> matrix() const;
  /// matrix += K at u, with the exchange of heat, before constraints. `layout` has its pattern.
  void add_tangent(const fem::MatrixLayout& layout, const solver::Vector<double>& u,
                   solver::BlockMatrix<double>& matrix) const;
  /// C'(f - K g) of a case, owned entries. Throws NumericalError (81) where a load is not finite.
  /// Collective.
  solver::Vector<double> right_side(std::size_t c) const;
  /// What the solver may know of the matrix. Throws NumericalError (81) where a near-null field of
  /// the case is not finite. Collective.
  solver::MatrixTraits matrix_traits() const;
  /// u = C v + g with ghosts, from a solution v with its ghosts up to date.
  solver::Vector<double> expand(const solver::Vector<double>& v) const;
  /// Reactions at owned nodes: internal less external forces where something is fixed, 0 elsewhere
  /// [N or W]. Collective.
  solver::Vector<double> reactions(std::size_t c, const solver::Vector<double>& u) const;
  /// Minus the entries of a residual at nodes where something is fixed, and 0 elsewhere.
  void keep_supports(solver::Vector<double>& residual) const;
  /// f(u) = external less internal forces, owned entries; loads of case `c`. Collective.
  solver::Vector<double> residual(std::size_t c, const solver::Vector<double>& u) const;
  /// External forces of case `c` at u, owned entries. Collective.
  solver::Vector<double> external(std::size_t c, const solver::Vector<double>& u) const;
  /// sum += factor * internal forces with the thermal strain of case `c`.
  void add_internal_force(std::size_t c, const solver::Vector<double>& u, double factor,
                          solver::Vector<double>& sum) const {
    cells_->add_internal_force(u, loads_[c]->thermal(), factor, sum);
  }
  const fem::ThermalStrain& thermal(std::size_t c) const { return loads_[c]->thermal(); }

 private:
  /// The discretised problem of one field, without operators; mistakes go to `lookup`.
  Analysis(std::shared_ptr<const fem::Discretisation> discretisation, Problem problem,
           const Description& description, GroupLookup& lookup);
  /// Load cases that cannot share one matrix.
  void check_load_cases(GroupLookup& lookup) const;
  void make_operators();
  /// Whether moduli follow a temperature that is not the same at all times.
  bool moduli_change() const;
  /// Moduli at the temperatures that the case gives, or where they are computed at the reference
  /// temperature. Throws CaseError where there are none. Collective.
  void evaluate_moduli();
  void warn_of_conflicts();
  void warn_of_blunt_edges(const std::vector<Index>& blunt_edges);
  void make_advection();
  std::vector<fem::FixedDirection> fixed_at(double time) const;

  Problem problem_;
  const Description* description_;
  Model model_;
  int n_components_;
  std::shared_ptr<const fem::Discretisation> discretisation_;
  CellMaterials materials_;
  std::unique_ptr<const AdvectionFields> advection_;
  std::unique_ptr<fem::MaterialData> material_data_, rate_data_;
  std::unique_ptr<fem::CellOperator> cells_, rates_;
  std::unique_ptr<fem::Constraints> constraints_;
  std::vector<std::unique_ptr<Loads>> loads_;
  std::vector<std::string> case_names_;
  std::unique_ptr<Analysis> heat_;
  std::vector<std::string> warnings_;
  double time_ = 0, load_factor_ = 1;
  std::int64_t n_accepted_ = 0;
  bool prescribed_changes_ = false;   // with time
  bool is_strained_by_heat_ = false;  // the temperature is computed
};

}  // namespace trestle::physics
