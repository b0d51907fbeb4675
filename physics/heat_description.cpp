// What heat conduction offers to a case file.
#include "physics/heat.hpp"

namespace trestle::physics {

const Description& heat() {
  static const Description description{
      .name = "heat",
      .field = "temperature",
      .field_unit = "K",
      .models_2d = {"plane", "axisymmetric"},
      .material =
          {
              {.name = "conductivity",
               .unit = "W/(m K)",
               .max_components = 3,
               .lower = 0,
               .lower_open = true,
               .help = "Heat conductivity; a list [kx, ky, kz] (in 2D two entries) for an "
                       "orthotropic material."},
              {.name = "density",
               .unit = "kg/m^3",
               .required = false,
               .lower = 0,
               .lower_open = true,
               .help = "Mass density; needed by a transient analysis."},
              {.name = "specific_heat",
               .unit = "J/(kg K)",
               .required = false,
               .lower = 0,
               .lower_open = true,
               .help = "Heat per mass and temperature; needed by a transient analysis."},
          },
      .conditions =
          {
              {.name = "temperature",
               .fixes_values = true,
               .targets = {.cells = true, .facets = true, .edges = true, .points = true},
               .parameters = {{.name = "value",
                               .unit = "K",
                               .of_time = true,
                               .help = "Prescribed temperature."}},
               .help =
                   "Fixes the temperature. Where entries meet at a node, the later entry wins."},
              {.name = "flux",
               .fixes_values = false,
               .targets = {.facets = true},
               .parameters = {{.name = "value",
                               .unit = "W/m^2",
                               .of_time = true,
                               .help = "Heat flow per area, positive into the body."}},
               .help = "Heat flow through a surface, positive into the body; on an internal "
                       "interface it is applied once."},
              {.name = "convection",
               .fixes_values = false,
               .targets = {.facets = true},
               .parameters = {{.name = "coefficient",
                               .unit = "W/(m^2 K)",
                               .lower = 0,
                               .of_time = true,
                               .help = "Heat transfer coefficient."},
                              {.name = "ambient",
                               .unit = "K",
                               .of_time = true,
                               .help = "Temperature of the surroundings."}},
               .help = "Heat exchange with the surroundings: q.n = coefficient (T - ambient)."},
              {.name = "source",
               .fixes_values = false,
               .targets = {.cells = true},
               .parameters = {{.name = "value",
                               .unit = "W/m^3",
                               .of_time = true,
                               .help = "Heat per volume."}},
               .help = "Volumetric heat source."},
              {.name = "heat",
               .fixes_values = false,
               .targets = {.points = true},
               .parameters = {{.name = "value",
                               .unit = "W",
                               .of_time = true,
                               .help = "Heat into each point of the group."}},
               .help = "Point source; for axisymmetric models the heat of the full circle."},
          },
      .initial = {{.name = "temperature", .unit = "K", .help = "Temperature at time 0."}},
      .analyses = {AnalysisType::static_},
      .time_schemes = {TimeScheme::bdf2, TimeScheme::backward_euler, TimeScheme::crank_nicolson},
      .results =
          {
              {.name = "temperature",
               .components = 1,
               .unit = "K",
               .one_sided = false,
               .help = "Temperature."},
              {.name = "heat_flux",
               .components = 3,
               .unit = "W/m^2",
               .one_sided = true,
               .help = "q = -k grad T at nodes, averaged within each region."},
              {.name = "reaction_heat",
               .components = 1,
               .unit = "W",
               .one_sided = false,
               .help = "Heat that enters at nodes of fixed temperature: the residual without "
                       "constraints."},
          },
      .default_results = {"temperature", "heat_flux"},
      .help = "Steady heat conduction.",
  };
  return description;
}

}  // namespace trestle::physics
