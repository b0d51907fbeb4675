// What transport offers to a case file.
#include "physics/models/transport.hpp"

namespace trestle::physics {

const Description& transport() {
  static const Description description{
      .name = "transport",
      .field = "concentration",
      .field_unit = "kg/m^3",
      .flow = "mass flow",
      .amount_unit = "kg",
      .rate_unit = "kg/s",
      .models_2d = {"plane", "axisymmetric"},
      .material =
          {
              {.name = "diffusivity",
               .unit = "m^2/s",
               .max_components = 3,
               .lower = 0,
               .lower_open = true,
               .help = "Diffusion coefficient; a list [Dx, Dy, Dz] (in 2D two entries) where it "
                       "depends on the direction."},
              {.name = "velocity",
               .unit = "m/s",
               .max_components = 3,
               .vector = true,
               .required = false,
               .help = "Of the flow that carries the solute: a list with a component for each "
                       "direction. It should be free of divergence."},
              {.name = "reaction",
               .unit = "1/s",
               .required = false,
               .lower = 0,
               .help = "Rate r of a decay: r c of the solute vanish per volume and time."},
          },
      .conditions =
          {
              {.name = "concentration",
               .fixes_values = true,
               .targets = {.cells = true, .facets = true, .edges = true, .points = true},
               .parameters = {{.name = "value",
                               .unit = "kg/m^3",
                               .of_time = true,
                               .help = "Prescribed concentration."}},
               .help = "Fixes the concentration, as at an inflow. Where entries meet at a node, "
                       "the later entry wins."},
              {.name = "flux",
               .fixes_values = false,
               .targets = {.facets = true},
               .parameters = {{.name = "value",
                               .unit = "kg/(m^2 s)",
                               .of_time = true,
                               .help = "Mass per area and time, positive into the body."}},
               .help = "Diffusive flux through a surface, positive into the body. A surface "
                       "without a condition has none: what arrives there flows out."},
              {.name = "transfer",
               .fixes_values = false,
               .targets = {.facets = true},
               .parameters = {{.name = "coefficient",
                               .unit = "m/s",
                               .lower = 0,
                               .of_time = true,
                               .help = "Mass transfer coefficient."},
                              {.name = "ambient",
                               .unit = "kg/m^3",
                               .of_time = true,
                               .help = "Concentration of the surroundings."}},
               .help = "Exchange with the surroundings: coefficient (c - ambient) leaves. With the "
                       "normal speed of an inflow as coefficient: an inflow that diffusion may "
                       "pass against the stream."},
              {.name = "source",
               .fixes_values = false,
               .targets = {.cells = true},
               .parameters = {{.name = "value",
                               .unit = "kg/(m^3 s)",
                               .of_time = true,
                               .help = "Mass per volume and time."}},
               .help = "Volumetric source."},
              {.name = "release",
               .fixes_values = false,
               .targets = {.points = true},
               .parameters = {{.name = "value",
                               .unit = "kg/s",
                               .of_time = true,
                               .help = "Mass per time into each point of the group."}},
               .help = "Point source; for axisymmetric models that of the full circle."},
          },
      .initial = {{.name = "concentration", .unit = "kg/m^3", .help = "Concentration at time 0."}},
      .analyses = {AnalysisType::static_, AnalysisType::transient},
      .time_schemes = {TimeScheme::bdf2, TimeScheme::backward_euler, TimeScheme::crank_nicolson},
      .results =
          {
              {.name = "concentration",
               .components = 1,
               .unit = "kg/m^3",
               .one_sided = false,
               .help = "Concentration."},
              {.name = "diffusive_flux",
               .components = 3,
               .unit = "kg/(m^2 s)",
               .one_sided = true,
               .help = "-D grad c at nodes, averaged within each region.",
               .flow = true},
              {.name = "reaction_flow",
               .components = 1,
               .unit = "kg/s",
               .one_sided = false,
               .help = "Mass that enters per time at nodes of fixed concentration: the residual "
                       "without constraints."},
          },
      .default_results = {"concentration"},
      .help = "Transport of a solute by a flow, with diffusion and reaction, steady or in time.",
  };
  return description;
}

}  // namespace trestle::physics
