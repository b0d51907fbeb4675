// The loads of one load case, at quadrature points and nodes, ready to be integrated.
#pragma once

#include <memory>
#include <vector>

#include "fem/cell_operator.hpp"
#include "fem/facet_operator.hpp"
#include "physics/group_lookup.hpp"
#include "physics/materials.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

/// Per area on facets: [facet, point, components]; convection: h and T_ambient.
struct FacetLoads {
  fem::EntityBlock facets;
  gpu::Array<double> values;
  int n_values;
};

/// Per volume on cells: density times components, which are integrated when they are needed.
struct BodyLoads {
  std::shared_ptr<const fem::EntityBlock> cells;
  std::vector<fem::Expression> components;
  fem::Expression density;  // of gravity; else 1
};

/// At owned nodes: [component].
struct PointLoad {
  Index node;
  fem::Vec3 value;
};

class Loads {
 public:
  /// What `load_case` adds to the conditions of every case; null: those alone. Mistakes go to
  /// `lookup`. Collective.
  Loads(const fem::Discretisation& discretisation, const Problem& problem,
        const LoadCase* load_case, const CellMaterials& materials, int n_components,
        GroupLookup& lookup);

  /// External forces that do not depend on the solution, owned entries; integrated at the first
  /// call. Throws NumericalError (81) where a load is not finite. Collective.
  const solver::Vector<double>& fixed(const fem::Discretisation& discretisation) const;
  /// sum += convection by the surroundings and u.
  void add_convection(const fem::Discretisation& discretisation, const solver::Vector<double>& u,
                      solver::Vector<double>& sum) const;
  void add_convection_matrix(const fem::Discretisation& discretisation,
                             solver::BlockMatrix<double>& matrix) const;
  const std::vector<FacetLoads>& convection() const { return convection_; }
  const fem::ThermalStrain& thermal() const { return thermal_; }

 private:
  struct Context;
  void add_condition(const Context& context, const Condition& condition, GroupLookup& lookup);
  void add_facets(const Context& context, const Condition& condition,
                  const mesh::LocalGroup& group);
  void add_cells(const Context& context, const Condition& condition, const mesh::LocalGroup& group);
  void add_gravity(const Context& context, const Condition& condition,
                   const mesh::LocalGroup& group);
  void add_points(const Context& context, const Condition& condition,
                  const mesh::LocalGroup& group);
  void add_thermal_strain(const Context& context, const Condition& condition,
                          const mesh::LocalGroup& group);

  std::vector<FacetLoads> per_area_;
  std::vector<FacetLoads> convection_;
  std::vector<BodyLoads> per_volume_;
  std::vector<PointLoad> points_;
  std::vector<std::vector<double>> thermal_host_;
  fem::ThermalStrain thermal_;
  int n_components_;
  mutable std::unique_ptr<const solver::Vector<double>> fixed_;
};

/// `n` expressions of a value: a scalar 0 stands for every component of a vector.
std::vector<fem::Expression> components_of(const Value& value, int n);

}  // namespace trestle::physics
