// What thermoelasticity offers to a case file, and how it falls into heat and mechanics.
#include "physics/models/thermoelasticity.hpp"

#include <algorithm>

#include "physics/models/elasticity.hpp"
#include "physics/models/heat.hpp"
#include "physics/solid_materials.hpp"

namespace trestle::physics {
namespace {

template <class Info>
bool has(const std::vector<Info>& infos, const std::string& name) {
  return std::any_of(infos.begin(), infos.end(),
                     [&](const Info& info) { return info.name == name; });
}

/// The entries of heat, then those of the solid that have no namesake there.
template <class Info>
std::vector<Info> joined(std::vector<Info> of_heat, const std::vector<Info>& of_solid) {
  const std::size_t n = of_heat.size();
  for (const Info& info : of_solid)
    if (std::none_of(of_heat.begin(), of_heat.begin() + static_cast<std::ptrdiff_t>(n),
                     [&](const Info& known) { return known.name == info.name; }))
      of_heat.push_back(info);
  return of_heat;
}

std::vector<ParameterInfo> material_parameters() {
  std::vector<ParameterInfo> all = joined(heat().material, elasticity().material);
  const auto describe = [&](const char* name, const char* help) {
    std::find_if(all.begin(), all.end(), [&](const auto& info) {
      return info.name == name;
    })->help = help;
  };
  describe("density", "Mass density; needed by `gravity` and by a transient analysis.");
  describe("thermal_expansion",
           "Coefficient of linear thermal expansion; where it depends on the temperature the mean "
           "one from the reference temperature to T.");
  describe("reference_temperature", "Temperature at which the material is free of thermal strain.");
  return all;
}

std::vector<MaterialMistake> check_material(const std::set<std::string>& keys,
                                            const Material& material) {
  std::vector<MaterialMistake> mistakes = check_solid(keys, material);
  const fem::Law law = law_of(material);
  if (law == fem::Law::neo_hookean || law == fem::Law::mooney_rivlin) {
    mistakes.push_back({"law", false,
                        "laws for finite strains have no thermal strain; take linear or "
                        "j2_plasticity"});
    return mistakes;
  }
  for (const char* key : {"thermal_expansion", "reference_temperature"})
    if (!keys.contains(key)) mistakes.push_back({key, true, "thermoelasticity needs it"});
  return mistakes;
}

/// Results of solids without those of motions.
std::vector<ResultInfo> solid_results() {
  std::vector<ResultInfo> results = elasticity().results;
  std::erase_if(results, [](const ResultInfo& info) { return info.analysis.has_value(); });
  return results;
}

std::vector<ResultInfo> all_results() {
  std::vector<ResultInfo> results = solid_results();
  results.insert(results.begin() + 1, heat().results.begin(), heat().results.end());
  return results;
}

std::vector<Condition> choose(const std::vector<Condition>& conditions, bool of_heat) {
  std::vector<Condition> chosen;
  for (const Condition& condition : conditions)
    if (has(heat().conditions, condition.type) == of_heat) chosen.push_back(condition);
  return chosen;
}

Problem part(const Problem& problem, const Description& physics) {
  const bool of_heat = &physics == &heat();
  Problem part = problem;
  part.physics = physics.name;
  part.conditions = choose(problem.conditions, of_heat);
  for (LoadCase& load_case : part.cases)
    load_case.conditions = choose(load_case.conditions, of_heat);
  for (Material& material : part.materials)
    std::erase_if(material.parameters,
                  [&](const auto& value) { return !has(physics.material, value.first); });
  std::erase_if(part.initial,
                [&](const Condition& field) { return !has(physics.initial, field.type); });
  return part;
}

}  // namespace

const Description& thermoelasticity() {
  static const Description description{
      .name = "thermoelasticity",
      .field = "displacement",
      .field_unit = "m",
      .rate_unit = heat().rate_unit,
      .models_2d = elasticity().models_2d,
      .material = material_parameters(),
      .check_material = check_material,
      .conditions = joined(heat().conditions, elasticity().conditions),
      .initial = heat().initial,
      .analyses = {AnalysisType::static_, AnalysisType::transient},
      .time_schemes = heat().time_schemes,
      .results = all_results(),
      .default_results = {"displacement", "temperature", "stress", "von_mises"},
      .no_combinations =
          "thermal strains count from a reference temperature, so that the results "
          "of load cases do not add up; write the sum as a load case",
      .help =
          "Heat conduction, steady or in time, and the mechanics of solids at rest that its "
          "temperature strains; in time a deformation may change the temperature as well.",
  };
  return description;
}

Problem heat_part(const Problem& problem) {
  Problem heat_problem = part(problem, heat());
  if (problem.model != "axisymmetric") heat_problem.model.reset();
  heat_problem.formulation = fem::Formulation::standard;
  for (Material& material : heat_problem.materials) {
    material.words.clear();
    material.curves.clear();
  }
  const bool none_in_cases =
      std::all_of(heat_problem.cases.begin(), heat_problem.cases.end(),
                  [](const LoadCase& load_case) { return load_case.conditions.empty(); });
  if (none_in_cases) heat_problem.cases.clear();
  heat_problem.combinations.clear();
  return heat_problem;
}

Problem solid_part(const Problem& problem) { return part(problem, elasticity()); }

}  // namespace trestle::physics
