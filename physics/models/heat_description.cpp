// What heat conduction offers to a case file.
#include "physics/models/heat.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {
namespace {

bool gives(const std::set<std::string>& keys, const char* key) { return keys.contains(key); }

double number_of(const Material& material, const char* key) {
  const auto found = material.parameters.find(key);
  return found == material.parameters.end() ? 0 : found->second.components[0]->number();
}

/// What melts has its heat and its temperature, or two; what flows has what it carries.
std::vector<MaterialMistake> check_heat(const std::set<std::string>& keys,
                                        const Material& material) {
  std::vector<MaterialMistake> mistakes;
  if (gives(keys, "velocity"))
    for (const char* key : {"density", "specific_heat"})
      if (!gives(keys, key)) mistakes.push_back({key, true, "what flows carries heat by it"});
  const bool one = gives(keys, "melting_temperature"), low = gives(keys, "solidus"),
             high = gives(keys, "liquidus");
  if (!gives(keys, "latent_heat")) {
    for (const char* key : {"melting_temperature", "solidus", "liquidus"})
      if (gives(keys, key)) mistakes.push_back({key, false, "needs latent_heat beside it"});
    return mistakes;
  }
  if (one && (low || high))
    mistakes.push_back({"melting_temperature", false,
                        "stands for solidus and liquidus: give either it, or both of them"});
  if (!one && !low && !high)
    mistakes.push_back(
        {"melting_temperature", true, "where the material melts; or solidus and liquidus, in K"});
  if (low != high)
    mistakes.push_back({low ? "liquidus" : "solidus", true, "the range has two ends"});
  if (low && high && !(number_of(material, "solidus") < number_of(material, "liquidus")))
    mistakes.push_back({"liquidus", false, "must be above solidus"});
  return mistakes;
}

}  // namespace

const Description& heat() {
  static const Description description{
      .name = "heat",
      .field = "temperature",
      .field_unit = "K",
      .flow = "heat",
      .amount_unit = "J",
      .rate_unit = "W",
      .models_2d = {"plane", "axisymmetric"},
      .material =
          {
              {.name = "conductivity",
               .unit = "W/(m K)",
               .max_components = 3,
               .lower = 0,
               .lower_open = true,
               .of_temperature = true,
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
               .of_temperature = true,
               .help = "Heat per mass and temperature; needed by a transient analysis."},
              {.name = "latent_heat",
               .unit = "J/kg",
               .required = false,
               .constant = true,
               .lower = 0,
               .lower_open = true,
               .help = "Heat per mass that melting takes, in transient analyses."},
              {.name = "melting_temperature",
               .unit = "K",
               .required = false,
               .constant = true,
               .help = "Where a pure material melts; at this temperature itself it is solid."},
              {.name = "solidus",
               .unit = "K",
               .required = false,
               .constant = true,
               .help = "Where melting begins, of a material that melts over a range."},
              {.name = "liquidus",
               .unit = "K",
               .required = false,
               .constant = true,
               .help = "Where melting ends."},
              {.name = "velocity",
               .unit = "m/s",
               .max_components = 3,
               .vector = true,
               .required = false,
               .help = "Of a fluid that carries heat through the cells: a list with a component "
                       "for each direction; needs density and specific_heat. It should be free of "
                       "divergence."},
          },
      .storage_keys = {"density", "specific_heat"},
      .check_material = check_heat,
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
              {.name = "radiation",
               .fixes_values = false,
               .targets = {.facets = true},
               .parameters = {{.name = "emissivity",
                               .unit = "",
                               .lower = 0,
                               .upper = 1,
                               .of_time = true,
                               .help = "Emissivity of the surface."},
                              {.name = "ambient",
                               .unit = "K",
                               .lower = 0,
                               .of_time = true,
                               .help = "Absolute temperature of the surroundings."}},
               .help = "Grey radiation to large surroundings: q.n = emissivity sigma (T^4 - "
                       "ambient^4), sigma = 5.670374419e-8 W/(m^2 K^4)."},
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
      .analyses = {AnalysisType::static_, AnalysisType::transient},
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
               .help = "q = -k grad T at nodes, averaged within each region.",
               .flow = true},
              {.name = "liquid_fraction",
               .components = 1,
               .unit = "",
               .one_sided = true,
               .help = "Molten part of a material with latent heat, 0 to 1; 0 in others."},
              {.name = "reaction_heat",
               .components = 1,
               .unit = "W",
               .one_sided = false,
               .help = "Heat that enters at nodes of fixed temperature: the residual without "
                       "constraints."},
          },
      .default_results = {"temperature", "heat_flux"},
      .help = "Heat conduction, steady or in time, also in what flows or melts.",
  };
  return description;
}

}  // namespace trestle::physics
