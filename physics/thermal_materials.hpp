// What a temperature does to solids: free strain, and moduli that depend on it.
#pragma once

#include <vector>

#include "fem/operators/cell_operator.hpp"
#include "physics/materials.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

/// Temperatures by block, [cell, point] at the stiffness rule [K].
using PointTemperatures = std::vector<gpu::Array<double>>;

/// Of temperatures at nodes, whose ghosts are up to date.
PointTemperatures at_points(const fem::Discretisation& discretisation,
                            const solver::Vector<double>& T);
/// The reference temperature of each cell's material. Collective.
PointTemperatures reference_temperatures(const fem::Discretisation& discretisation,
                                         const Problem& problem, const fem::MaterialData& data);

/// thermal_expansion (T - reference_temperature): the coefficient is the mean one between both
/// temperatures. `data` has the materials of the cells. Throws NumericalError (81) where a value is
/// not finite. Collective.
fem::ThermalStrain thermal_strain(const fem::Discretisation& discretisation, const Problem& problem,
                                  const fem::MaterialData& data, const PointTemperatures& T);

/// What couples deformation and heat, by block [cell, point]: beta = E / (1 - 2 nu) d(thermal
/// strain)/dT = alpha (3 lambda + 2 mu), the stress of a body that must not expand per temperature
/// [Pa/K], and T_ref beta [Pa]. Not for plane stress.
struct ThermalModuli {
  std::vector<gpu::Array<double>> stress, heat;
};
/// At these temperatures. Throws NumericalError (81) where a value is not finite. Collective.
ThermalModuli thermal_moduli(const fem::Discretisation& discretisation, const Problem& problem,
                             const fem::MaterialData& data, const PointTemperatures& T);

/// Whether a modulus of a material, or of some material, depends on the temperature.
bool moduli_depend_on_temperature(const Material& material);
bool moduli_depend_on_temperature(const Problem& problem);
/// The parameters of the kernels of solids at these temperatures. Throws NumericalError (81) where
/// a modulus is outside its bounds. Collective.
void update_moduli(const fem::Discretisation& discretisation, const Problem& problem, Model model,
                   const PointTemperatures& T, fem::MaterialData& data);

}  // namespace trestle::physics
