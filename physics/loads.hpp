// The loads of one load case, at quadrature points and nodes, ready to be integrated.
#pragma once

#include <memory>
#include <vector>

#include "fem/operators/cell_operator.hpp"
#include "fem/operators/facet_operator.hpp"
#include "physics/advection.hpp"
#include "physics/group_lookup.hpp"
#include "physics/materials.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

/// Per area on facets: [facet, point, components] at the time of the loads.
struct FacetLoads {
  fem::EntityBlock facets;
  std::vector<fem::Expression> components;
  gpu::Array<double> values;
};

/// Exchange of heat with surroundings; components are a coefficient and the ambient temperature.
struct ExchangeLoads {
  fem::Exchange kind;
  std::string condition;  // its word
  FacetLoads load;
  SourcePosition where;
};

/// Per volume on cells: density times components, which are integrated when they are needed.
struct BodyLoads {
  std::shared_ptr<const fem::EntityBlock> cells;
  std::vector<fem::Expression> components;
  fem::Expression density;  // of gravity; else 1
};

/// At each of some owned nodes.
struct PointLoads {
  std::vector<Index> nodes;
  std::vector<fem::Expression> components;
};

/// Free thermal strain by a given temperature in the cells of some groups.
struct ThermalLoads {
  Groups groups;
  fem::Expression temperature;
};

class Loads {
 public:
  /// What `load_case` adds to the conditions of every case; null: those alone; at time 0. Mistakes
  /// go to `lookup`. All arguments but the last outlive the loads. Collective.
  Loads(const fem::Discretisation& discretisation, const Problem& problem,
        const LoadCase* load_case, const CellMaterials& materials, int n_components,
        GroupLookup& lookup);
  /// Sources are weighted along the streamlines of `fields`, which outlives the loads.
  void follow(const AdvectionFields& fields) { advection_ = &fields; }

  /// Whether anything changes with time.
  bool change() const { return changes_; }
  /// Evaluates everything that changes with time. Throws as the constructor. Collective.
  void set_time(double time);

  /// External forces that do not depend on the solution, owned entries; integrated at the first
  /// call. Throws NumericalError (81) where a load is not finite. Collective.
  const solver::Vector<double>& fixed() const;
  /// sum += factor * heat exchanged with the surroundings at u.
  void add_exchange(const solver::Vector<double>& u, double factor,
                    solver::Vector<double>& sum) const;
  /// matrix += minus the derivative of the exchange by u.
  void add_exchange_matrix(const solver::Vector<double>& u,
                           solver::BlockMatrix<double>& matrix) const;
  /// sum += factor * pressures that follow the surface at u.
  void add_followers(const solver::Vector<double>& u, double factor,
                     solver::Vector<double>& sum) const;
  /// matrix += minus the derivative of that by u, which is not symmetric.
  void add_follower_matrix(const solver::Vector<double>& u, double factor,
                           solver::BlockMatrix<double>& matrix) const;
  bool follow_the_surface() const { return follows_; }
  const std::vector<ExchangeLoads>& exchanges() const { return exchanges_; }
  /// Whether the exchange is linear in u, and whether its matrix is the same at all times.
  bool exchange_is_linear() const { return !radiates_; }
  bool exchange_is_constant() const { return !radiates_ && !coefficient_changes_; }
  const fem::ThermalStrain& thermal() const { return thermal_; }
  /// The temperatures that conditions give, by block [cell, point] at the stiffness rule [K]; NaN
  /// where none does. No blocks: none is given.
  const std::vector<std::vector<double>>& temperatures() const { return temperatures_; }
  bool temperatures_change() const;  // with time
  /// In place of that of given temperatures.
  void set_thermal(fem::ThermalStrain strain) { thermal_ = std::move(strain); }

 private:
  /// Where groups of one condition overlap, it holds once.
  void add_condition(const Condition& condition, GroupLookup& lookup);
  void refuse_internal(const Condition& condition, const Groups& groups) const;
  void add_facets(const Condition& condition, const Groups& groups);
  void add_cells(const Condition& condition, const Groups& groups);
  void add_gravity(const Condition& condition, const Groups& groups);
  void add_points(const Condition& condition, const Groups& groups);
  void evaluate(FacetLoads& load) const;
  void evaluate(ExchangeLoads& exchange) const;
  void add_thermal_strain(const ThermalLoads& load, std::vector<std::vector<double>>& strain);
  void evaluate_thermal_strain();
  const mesh::Mesh& mesh() const { return discretisation_.mesh(); }

  const fem::Discretisation& discretisation_;
  const Problem& problem_;
  const CellMaterials& materials_;
  int n_components_;
  double time_ = 0;
  std::vector<FacetLoads> per_area_;
  std::vector<FacetLoads> followers_;  // pressures
  std::vector<ExchangeLoads> exchanges_;
  std::vector<BodyLoads> per_volume_;
  const AdvectionFields* advection_ = nullptr;
  std::vector<SourceTerm> sources_;  // instead of per_volume_ where the streamlines matter
  std::vector<PointLoads> points_;
  std::vector<ThermalLoads> thermal_loads_;
  std::vector<std::vector<double>> temperatures_;
  fem::ThermalStrain thermal_;
  bool changes_ = false;  // with time
  bool follows_ = false;  // the surface
  bool radiates_ = false, coefficient_changes_ = false;
  mutable std::unique_ptr<const solver::Vector<double>> fixed_;
};

/// `n` expressions of a value: a scalar 0 stands for every component of a vector.
std::vector<fem::Expression> components_of(const Value& value, int n);

}  // namespace trestle::physics
