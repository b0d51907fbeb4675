// What flow through porous media offers to a case file.
#include "physics/models/darcy.hpp"

namespace trestle::physics {

const Description& darcy() {
  static const Description description{
      .name = "darcy",
      .field = "pressure",
      .field_unit = "Pa",
      .flow = "flow",
      .amount_unit = "m^3",
      .rate_unit = "m^3/s",
      .models_2d = {"plane", "axisymmetric"},
      .material =
          {
              {.name = "permeability",
               .unit = "m^2",
               .max_components = 3,
               .lower = 0,
               .lower_open = true,
               .help = "Intrinsic permeability; a list [kx, ky, kz] (in 2D two entries) where it "
                       "depends on the direction."},
              {.name = "viscosity",
               .unit = "Pa s",
               .lower = 0,
               .lower_open = true,
               .help = "Dynamic viscosity of the fluid; water at 20 degC: 1.0e-3 Pa s."},
              {.name = "density",
               .unit = "kg/m^3",
               .required = false,
               .lower = 0,
               .lower_open = true,
               .help = "Density of the fluid; needed with `gravity`."},
              {.name = "storage",
               .unit = "1/Pa",
               .required = false,
               .lower = 0,
               .lower_open = true,
               .help = "Fluid stored per volume and pressure; needed by a transient analysis."},
          },
      .storage_keys = {"storage"},
      .conditions =
          {
              {.name = "pressure",
               .fixes_values = true,
               .targets = {.cells = true, .facets = true, .edges = true, .points = true},
               .parameters = {{.name = "value",
                               .unit = "Pa",
                               .of_time = true,
                               .help = "Prescribed pressure."}},
               .help = "Fixes the pressure. Under a water table at the level H it is rho g (H - "
                       "z). Where entries meet at a node, the later entry wins."},
              {.name = "flux",
               .fixes_values = false,
               .targets = {.facets = true},
               .parameters = {{.name = "value",
                               .unit = "m/s",
                               .of_time = true,
                               .help = "Volume per area and time, positive into the body."}},
               .help = "Flow through a surface, positive into the body: rain, for example. A "
                       "surface without a condition is tight."},
              {.name = "leakage",
               .fixes_values = false,
               .targets = {.facets = true},
               .parameters = {{.name = "coefficient",
                               .unit = "m/(s Pa)",
                               .lower = 0,
                               .of_time = true,
                               .help = "Flow per area and difference of pressure."},
                              {.name = "ambient",
                               .unit = "Pa",
                               .of_time = true,
                               .help = "Pressure outside."}},
               .help = "Flow through a thin layer, as the bed of a river: coefficient (p - "
                       "ambient) leaves."},
              {.name = "source",
               .fixes_values = false,
               .targets = {.cells = true},
               .parameters = {{.name = "value",
                               .unit = "1/s",
                               .of_time = true,
                               .help = "Volume of fluid per volume and time."}},
               .help = "Volumetric source."},
              {.name = "well",
               .fixes_values = false,
               .targets = {.points = true},
               .parameters = {{.name = "value",
                               .unit = "m^3/s",
                               .of_time = true,
                               .help = "Flow into each point of the group."}},
               .help = "Point source, negative where fluid is pumped out; for axisymmetric models "
                       "that of the full circle."},
          },
      .initial = {{.name = "pressure", .unit = "Pa", .help = "Pressure at time 0."}},
      .analyses = {AnalysisType::static_, AnalysisType::transient},
      .time_schemes = {TimeScheme::bdf2, TimeScheme::backward_euler, TimeScheme::crank_nicolson},
      .results =
          {
              {.name = "pressure",
               .components = 1,
               .unit = "Pa",
               .one_sided = false,
               .help = "Pressure."},
              {.name = "darcy_velocity",
               .components = 3,
               .unit = "m/s",
               .one_sided = true,
               .help =
                   "q = -k/mu (grad p - rho g), volume per area and time, at nodes, within each "
                   "region.",
               .flow = true},
              {.name = "hydraulic_head",
               .components = 1,
               .unit = "m",
               .one_sided = true,
               .help = "p / (rho g) plus the height above the origin, against `gravity`.",
               .by_weight = true},
              {.name = "reaction_flow",
               .components = 1,
               .unit = "m^3/s",
               .one_sided = false,
               .help = "Volume that enters per time at nodes of fixed pressure: the residual "
                       "without constraints."},
          },
      .default_results = {"pressure", "darcy_velocity"},
      .help = "Flow of a fluid through a saturated porous medium, steady or in time.",
  };
  return description;
}

}  // namespace trestle::physics
