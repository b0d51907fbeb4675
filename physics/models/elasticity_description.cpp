// What the mechanics of solids offers to a case file.
#include "physics/models/elasticity.hpp"

#include "physics/solid_materials.hpp"

namespace trestle::physics {

namespace {

std::vector<ParameterInfo> material_parameters() {
  std::vector<ParameterInfo> all = solid_parameters();
  const ParameterInfo more[] = {
      {.name = "density",
       .unit = "kg/m^3",
       .required = false,
       .lower = 0,
       .lower_open = true,
       .help = "Mass density; needed by `gravity` and by modal analyses."},
      {.name = "thermal_expansion",
       .unit = "1/K",
       .required = false,
       .of_temperature = true,
       .help = "Coefficient of linear thermal expansion, needed by `temperature`; where it depends "
               "on the temperature the mean one from the reference temperature to T."},
      {.name = "reference_temperature",
       .unit = "K",
       .required = false,
       .help = "Temperature at which the material is free of thermal strain; needed by "
               "`temperature`."},
  };
  all.insert(all.end(), std::begin(more), std::end(more));
  return all;
}

ParameterInfo pressure_value() {
  return {.name = "value", .unit = "Pa", .of_time = true, .help = "Positive pushes into the body."};
}

}  // namespace

const Description& elasticity() {
  static const Description description{
      .name = "elasticity",
      .field = "displacement",
      .field_unit = "m",
      .models_2d = {"plane_strain", "plane_stress", "axisymmetric"},
      .material = material_parameters(),
      .storage_keys = {"density"},
      .check_material = check_solid,
      .conditions =
          {
              {.name = "displacement",
               .fixes_values = true,
               .targets = {.cells = true, .facets = true, .edges = true, .points = true},
               .parameters = {{.name = "value",
                               .unit = "m",
                               .max_components = 3,
                               .nullable = true,
                               .of_time = true,
                               .help = "Prescribed displacement, a component each; null leaves a "
                                       "component free."}},
               .help = "Fixes components of the displacement. Where entries meet at a node, the "
                       "later entry wins."},
              {.name = "roller",
               .fixes_values = true,
               .targets = {.facets = true, .edges = true, .points = true},
               .parameters = {{.name = "normal",
                               .unit = "",
                               .max_components = 3,
                               .required = false,
                               .help = "Direction that is fixed; on facets the default is the "
                                       "normal of the surface."}},
               .help = "Fixes the displacement along the normal: u.n = 0. `roller: true` takes the "
                       "normal of the surface; all rollers are one surface, whose normals at a "
                       "node are averaged up to 30 degrees apart."},
              {.name = "traction",
               .fixes_values = false,
               .targets = {.facets = true},
               .parameters = {{.name = "value",
                               .unit = "Pa",
                               .max_components = 3,
                               .of_time = true,
                               .help = "Force per area, a component each."}},
               .help = "Force per area in global directions; on an internal interface it is "
                       "applied once."},
              {.name = "pressure",
               .fixes_values = false,
               .targets = {.facets = true},
               .parameters = {pressure_value()},
               .help = "Force per area against the outward normal of the cell that the facet "
                       "belongs to; at finite strains of the undeformed surface, which it does not "
                       "follow."},
              {.name = "follower_pressure",
               .fixes_values = false,
               .targets = {.facets = true},
               .parameters = {pressure_value()},
               .help = "Pressure that stays normal to the surface as it deforms and acts on its "
                       "deformed area: for finite strains, at rest and in motion."},
              {.name = "body_force",
               .fixes_values = false,
               .targets = {.cells = true},
               .parameters = {{.name = "value",
                               .unit = "N/m^3",
                               .max_components = 3,
                               .of_time = true,
                               .help = "Force per volume, a component each."}},
               .help = "Force per volume."},
              {.name = "gravity",
               .fixes_values = false,
               .targets = {.cells = true},
               .parameters = {{.name = "value",
                               .unit = "m/s^2",
                               .max_components = 3,
                               .of_time = true,
                               .help = "Acceleration, a component each."}},
               .help = "Weight: density times this acceleration."},
              {.name = "force",
               .fixes_values = false,
               .targets = {.points = true},
               .parameters = {{.name = "value",
                               .unit = "N",
                               .max_components = 3,
                               .of_time = true,
                               .help = "Force on each point of the group, a component each."}},
               .help = "Point load; for axisymmetric models the force of the full circle, for "
                       "plane models that of the thickness."},
              {.name = "temperature",
               .fixes_values = false,
               .targets = {.cells = true},
               .parameters = {{.name = "value",
                               .unit = "K",
                               .of_time = true,
                               .help = "Temperature of the cells of the group."}},
               .help = "Thermal strain: thermal_expansion (temperature - reference_temperature) in "
                       "every direction."},
          },
      .initial = {{.name = "displacement",
                   .unit = "m",
                   .max_components = 3,
                   .help = "Displacement at time 0; without it 0."},
                  {.name = "velocity",
                   .unit = "m/s",
                   .max_components = 3,
                   .help = "Velocity at time 0; without it 0."}},
      .analyses = {AnalysisType::static_, AnalysisType::transient, AnalysisType::modal,
                   AnalysisType::harmonic},
      .time_schemes = {TimeScheme::generalized_alpha, TimeScheme::newmark,
                       TimeScheme::central_difference},
      .results =
          {
              {.name = "displacement",
               .components = 3,
               .unit = "m",
               .one_sided = false,
               .help = "Displacement."},
              {.name = "velocity",
               .components = 3,
               .unit = "m/s",
               .one_sided = false,
               .help = "Velocity.",
               .analysis = AnalysisType::transient},
              {.name = "acceleration",
               .components = 3,
               .unit = "m/s^2",
               .one_sided = false,
               .help = "Acceleration.",
               .analysis = AnalysisType::transient},
              {.name = "amplitude",
               .components = 3,
               .unit = "m",
               .one_sided = false,
               .help = "Amplitude of each component of the displacement.",
               .analysis = AnalysisType::harmonic},
              {.name = "phase",
               .components = 3,
               .unit = "",
               .one_sided = false,
               .help = "Phase of each component of the displacement against the loads, in degrees; "
                       "below 0 where it lags.",
               .analysis = AnalysisType::harmonic},
              {.name = "stress_amplitude",
               .components = 6,
               .unit = "Pa",
               .one_sided = true,
               .help = "Amplitude of each component of the stress.",
               .analysis = AnalysisType::harmonic},
              {.name = "strain",
               .components = 6,
               .unit = "",
               .one_sided = true,
               .help = "Strain, tensor components, averaged within each region; of laws for finite "
                       "strains that of Green and Lagrange."},
              {.name = "stress",
               .components = 6,
               .unit = "Pa",
               .one_sided = true,
               .help = "Stress, tension positive, averaged within each region; of laws for finite "
                       "strains Cauchy's."},
              {.name = "von_mises",
               .components = 1,
               .unit = "Pa",
               .one_sided = true,
               .help = "Equivalent stress of the averaged stress."},
              {.name = "principal_stress",
               .components = 3,
               .unit = "Pa",
               .one_sided = true,
               .help = "Principal stresses of the averaged stress, largest first."},
              {.name = "strain_energy_density",
               .components = 1,
               .unit = "J/m^3",
               .one_sided = true,
               .help = "Elastic energy per volume of the undeformed body; of linear laws half of "
                       "stress : elastic strain."},
              {.name = "equivalent_plastic_strain",
               .components = 1,
               .unit = "",
               .one_sided = true,
               .help = "Of `j2_plasticity`, the sum of all plastic flow; 0 for other laws."},
              {.name = "reaction_force",
               .components = 3,
               .unit = "N",
               .one_sided = false,
               .help = "Force of the supports at nodes with fixed components: the residual without "
                       "constraints."},
          },
      .default_results = {"displacement", "stress", "von_mises"},
      .help =
          "Mechanics of solids: statics, linear, hyperelastic at finite strains, plastic at small "
          "ones; motion, and free vibrations.",
  };
  return description;
}

}  // namespace trestle::physics
