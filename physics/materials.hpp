// Which material each cell has, and the parameters of the materials on the device.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "fem/discretisation.hpp"
#include "fem/operators/cell_operator.hpp"
#include "fem/operators/latent_heat.hpp"
#include "fem/operators/mass.hpp"
#include "physics/enthalpy.hpp"
#include "physics/group_lookup.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

/// Index into Problem::materials of every local cell, by block; -1 where a mistake was noted in
/// `lookup`.
using CellMaterials = std::vector<std::vector<Index>>;

/// Notes in `lookup`: unknown groups, cells without material (their number) and cells with two.
/// Collective.
CellMaterials assign_materials(const mesh::Mesh& mesh, const Problem& problem, GroupLookup& lookup);

/// Parameters as the kernels of the physics take them (fem/materials), as a table or, where one is
/// an expression, at every quadrature point. Throws NumericalError (81) or CaseError where a value
/// at a point is outside its bounds. `materials` outlive the data. Collective.
fem::MaterialData make_material_data(const fem::Discretisation& discretisation,
                                     const Problem& problem, Model model,
                                     const CellMaterials& materials);

/// Whether conductivities depend on the temperature, so that heat conduction is not linear.
bool conductivity_depends_on_temperature(const Problem& problem);
/// Conductivities and their slopes at the temperatures u, whose ghosts are up to date. Throws
/// NumericalError (81) where one is not above 0. Collective.
void update_conductivities(const fem::Discretisation& discretisation, const Problem& problem,
                           const solver::Vector<double>& u, fem::MaterialData& data);

/// Where a material melts: solidus and liquidus [K], which differ; none where it does not. With a
/// melting temperature alone, the liquidus stands 1e-4 of latent heat over specific heat above it.
std::optional<std::array<double, 2>> melting_range(const Material& material);
/// The molten part at a temperature, 0 to 1.
double molten_part(const std::array<double, 2>& range, double temperature);
bool melts(const Problem& problem);

/// What multiplies the rate (heat: density times specific heat [J/(m^3 K)]) or the acceleration
/// (solids: density [kg/m^3]).
class Capacity {
 public:
  /// All arguments outlive it. Throws CaseError where a material lacks something. Collective.
  Capacity(const fem::Discretisation& discretisation, const Problem& problem,
           const fem::MaterialData& data);

  bool depends_on_temperature() const { return by_temperature_; }
  /// What is stored where capacities depend on temperature, if the scheme has contents and no rates
  /// of its own and no expression uses the place, too; else null.
  const Enthalpy* enthalpy() const { return enthalpy_.get(); }
  /// Latent heat of the materials that melt, which comes on top; null where none does.
  const fem::LatentHeat* latent_heat() const { return latent_heat_.get(); }
  /// At the temperatures u, whose ghosts are up to date. Collective.
  void update(const solver::Vector<double>& u);
  const fem::CellCoefficient& coefficient() const { return coefficient_; }
  /// The slope of the coefficient times a rate, as a coefficient: what its change adds to the
  /// tangent of capacity times rate. The ghosts of `rate` are up to date.
  fem::CellCoefficient tangent(const solver::Vector<double>& rate) const;

 private:
  /// `value` in the cells of one material, 0 in the others.
  fem::CellCoefficient in_material(Index material, const fem::Expression& value) const;
  void find_latent_heat(const Problem& problem);
  void find_enthalpy(const Problem& problem);

  const fem::Discretisation& discretisation_;
  std::span<const gpu::ConstantArray<Index>> material_;  // by block: [cell]
  std::vector<fem::Expression> of_material_;
  bool by_temperature_ = false;
  fem::CellCoefficient coefficient_;
  std::vector<gpu::Array<double>> with_slopes_;  // by block: [cell, point, 2]
  std::unique_ptr<const Enthalpy> enthalpy_;
  std::unique_ptr<const fem::LatentHeat> latent_heat_;
};

/// A parameter of a material; throws CaseError when it is missing. `component` counts from 0; a
/// scalar stands for all components.
const fem::Expression& material_expression(const Material& material, const std::string& parameter,
                                           int component);
/// Value of a parameter of a material at a place and a temperature [K]; throws NumericalError (81)
/// when it is not finite, and CaseError when it is missing.
double material_value(const Material& material, const std::string& parameter, int component,
                      const fem::Vec3& x, double temperature = 0);
/// Value of an expression at a place, time and temperature; throws NumericalError (81) naming
/// expression and place when it is not finite.
double value_at(const fem::Expression& expression, const fem::Vec3& x, double time = 0,
                double temperature = 0);

}  // namespace trestle::physics
