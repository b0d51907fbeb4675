// Which material each cell has, and the parameters of the materials on the device.
#pragma once

#include <vector>

#include "fem/cell_operator.hpp"
#include "fem/discretisation.hpp"
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

/// A parameter of a material; throws CaseError when it is missing. `component` counts from 0; a
/// scalar stands for all components.
const fem::Expression& material_expression(const Material& material, const std::string& parameter,
                                           int component);
/// Value of a parameter of a material at a place; throws NumericalError (81) when it is not finite,
/// and CaseError when it is missing.
double material_value(const Material& material, const std::string& parameter, int component,
                      const fem::Vec3& x);
/// Value of an expression at a place; throws NumericalError (81) naming expression and place when
/// it is not finite.
double value_at(const fem::Expression& expression, const fem::Vec3& x);

}  // namespace trestle::physics
