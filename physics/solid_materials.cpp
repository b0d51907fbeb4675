#include "physics/solid_materials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/materials.hpp"

namespace trestle::physics {
namespace {

using fem::Law;

constexpr std::array<std::pair<const char*, Law>, 4> law_words{
    {{"linear", Law::linear},
     {"neo_hookean", Law::neo_hookean},
     {"mooney_rivlin", Law::mooney_rivlin},
     {"j2_plasticity", Law::j2_plasticity}}};

/// The keys that say how stiff or strong a solid is, and the laws that take them.
struct KeyOfLaws {
  const char* key;
  std::vector<Law> laws;
};
const std::vector<KeyOfLaws> keys_of_laws{
    {"young", {Law::linear, Law::j2_plasticity, Law::neo_hookean}},
    {"poisson", {Law::linear, Law::j2_plasticity, Law::neo_hookean}},
    {"shear_modulus", {Law::neo_hookean}},
    {"bulk_modulus", {Law::neo_hookean, Law::mooney_rivlin}},
    {"c10", {Law::mooney_rivlin}},
    {"c01", {Law::mooney_rivlin}},
    {"yield_stress", {Law::j2_plasticity}},
    {"hardening_modulus", {Law::j2_plasticity}},
    {"hardening", {Law::j2_plasticity}},
    {"thermal_expansion", {Law::linear, Law::j2_plasticity}},
    {"reference_temperature", {Law::linear, Law::j2_plasticity}}};

/// Without the word `law`, what belongs to plasticity makes it so.
Law law_of(const std::set<std::string>& keys, const Material& material) {
  if (const auto word = material.words.find("law"); word != material.words.end())
    return std::find_if(law_words.begin(), law_words.end(),
                        [&](const auto& law) { return law.first == word->second; })
        ->second;
  return keys.contains("yield_stress") || keys.contains("hardening") ? Law::j2_plasticity
                                                                     : Law::linear;
}

const char* word_of(Law law) {
  return std::find_if(law_words.begin(), law_words.end(),
                      [&](const auto& known) { return known.second == law; })
      ->first;
}

/// The keys that a law must have, given what there is.
std::vector<std::string> needed(Law law, const std::set<std::string>& keys) {
  switch (law) {
    case Law::linear:
      return {"young", "poisson"};
    case Law::j2_plasticity:
      if (keys.contains("hardening")) return {"young", "poisson"};
      return {"young", "poisson", "yield_stress"};
    case Law::neo_hookean:
      if (keys.contains("young") || keys.contains("poisson")) return {"young", "poisson"};
      return {"shear_modulus", "bulk_modulus"};
    case Law::mooney_rivlin:
      return {"c10", "c01", "bulk_modulus"};
  }
  return {};
}

void check_pairs(Law law, const std::set<std::string>& keys,
                 std::vector<MaterialMistake>& mistakes) {
  if (law == Law::j2_plasticity && keys.contains("hardening"))
    for (const char* key : {"yield_stress", "hardening_modulus"})
      if (keys.contains(key))
        mistakes.push_back({key, false,
                            "stands beside hardening, whose curve begins with the yield stress; "
                            "leave one of them out"});
  if (law == Law::neo_hookean && (keys.contains("young") || keys.contains("poisson")))
    for (const char* key : {"shear_modulus", "bulk_modulus"})
      if (keys.contains(key))
        mistakes.push_back(
            {key, false, "stands beside young and poisson, which give it; leave them or this out"});
}

void check_curve(const Curve& curve, std::vector<MaterialMistake>& mistakes) {
  const auto tell = [&](const std::string& what) {
    mistakes.push_back({"hardening", false, what});
  };
  const auto& points = curve.points;
  if (points.front()[0] != 0)
    tell(fmt::format("begins at plastic strain {:g}; the first point is [0, yield stress]",
                     points.front()[0]));
  if (!(points.front()[1] > 0)) tell("the yield stress must be above 0");
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (!(points[i][0] > points[i - 1][0]))
      tell(fmt::format("plastic strains must rise, but {:g} follows {:g}", points[i][0],
                       points[i - 1][0]));
    if (points[i][1] < points[i - 1][1])
      tell(fmt::format("the stress falls from {:g} to {:g} Pa; softening has no unique solution",
                       points[i - 1][1], points[i][1]));
  }
}

std::set<std::string> keys_of(const Material& material) {
  std::set<std::string> keys;
  for (const auto& [name, value] : material.parameters) keys.insert(name);
  for (const auto& [name, curve] : material.curves) keys.insert(name);
  return keys;
}

/// The first point of the curve of a material and their number.
struct Points {
  double first = 0, n = 0;
};
std::vector<std::array<double, 2>> points_of(const Material& material) {
  if (const auto curve = material.curves.find("hardening"); curve != material.curves.end())
    return curve->second.points;
  const fem::Vec3 origin{};
  return {{0, material_value(material, "yield_stress", 0, origin)}};
}

Points find_points(const Problem& problem, const Material& material) {
  Points points;
  for (const Material& other : problem.materials) {
    if (law_of(other) != Law::j2_plasticity) continue;
    const auto n = static_cast<double>(points_of(other).size());
    if (&other == &material) {
      points.n = n;
      break;
    }
    points.first += n;
  }
  return points;
}

}  // namespace

std::vector<ParameterInfo> solid_parameters() {
  std::vector<std::string> words;
  for (const auto& [word, law] : law_words) words.push_back(word);
  const auto modulus = [](const char* name, const char* help) {
    return ParameterInfo{.name = name,
                         .unit = "Pa",
                         .required = false,
                         .lower = 0,
                         .lower_open = true,
                         .help = help};
  };
  ParameterInfo young = modulus("young", "Young's modulus.");
  young.of_temperature = true;
  return {
      {.name = "law",
       .unit = "",
       .required = false,
       .words = words,
       .help = "How stress follows from strain. Without it `linear`, or `j2_plasticity` where "
               "`yield_stress` or `hardening` is given. `linear` and `j2_plasticity` are for small "
               "strains, the others for finite ones."},
      std::move(young),
      {.name = "poisson",
       .unit = "",
       .required = false,
       .lower = -1,
       .upper = 0.5,
       .lower_open = true,
       .upper_open = true,
       .of_temperature = true,
       .help = "Poisson's ratio, -1 < nu < 0.5."},
      modulus("shear_modulus",
              "Of `neo_hookean`, with `bulk_modulus`, in place of `young` and `poisson`."),
      modulus("bulk_modulus", "Of `neo_hookean` and `mooney_rivlin`."),
      modulus("c10", "Of `mooney_rivlin`; c10 + c01 is half the shear modulus."),
      {.name = "c01", .unit = "Pa", .required = false, .lower = 0, .help = "Of `mooney_rivlin`."},
      {.name = "yield_stress",
       .unit = "Pa",
       .required = false,
       .constant = true,
       .lower = 0,
       .lower_open = true,
       .help = "Von Mises stress at which `j2_plasticity` begins."},
      {.name = "hardening_modulus",
       .unit = "Pa",
       .required = false,
       .constant = true,
       .lower = 0,
       .help =
           "Rise of the yield stress over the equivalent plastic strain, beside `yield_stress`; "
           "without it 0."},
      {.name = "hardening",
       .unit = "Pa",
       .required = false,
       .curve = true,
       .help = "Yield stress over equivalent plastic strain in place of `yield_stress`: "
               "`[[0, 250 MPa], [0.1, 300 MPa]]`, linear between the points, constant behind the "
               "last one."},
  };
}

std::vector<MaterialMistake> check_solid(const std::set<std::string>& keys,
                                         const Material& material) {
  std::vector<MaterialMistake> mistakes;
  const Law law = law_of(keys, material);
  for (const std::string& key : needed(law, keys))
    if (!keys.contains(key))
      mistakes.push_back({key, true, fmt::format("the law {} needs it", word_of(law))});
  for (const KeyOfLaws& known : keys_of_laws)
    if (keys.contains(known.key) &&
        std::find(known.laws.begin(), known.laws.end(), law) == known.laws.end())
      mistakes.push_back(
          {known.key, false, fmt::format("does not belong to the law {}", word_of(law))});
  check_pairs(law, keys, mistakes);
  for (const char* key : {"young", "poisson"})
    if (const auto found = material.parameters.find(key);
        law == Law::neo_hookean && found != material.parameters.end() &&
        found->second.components.front()->uses_temperature())
      mistakes.push_back({key, false,
                          "T is the temperature, which only the laws linear and j2_plasticity "
                          "take"});
  if (const auto curve = material.curves.find("hardening"); curve != material.curves.end())
    check_curve(curve->second, mistakes);
  return mistakes;
}

Law law_of(const Material& material) { return law_of(keys_of(material), material); }

bool needs_solid_laws(const Problem& problem) {
  return problem.formulation != fem::Formulation::standard ||
         std::any_of(problem.materials.begin(), problem.materials.end(),
                     [](const Material& m) { return law_of(m) != Law::linear; });
}

std::vector<double> hardening_points(const Problem& problem) {
  std::vector<double> all;
  for (const Material& material : problem.materials)
    if (law_of(material) == Law::j2_plasticity)
      for (const auto& point : points_of(material))
        all.insert(all.end(), point.begin(), point.end());
  return all;
}

std::vector<double> solid_values(const Problem& problem, const Material& material,
                                 const fem::Vec3& x) {
  using namespace fem::solid_parameter;
  const auto value = [&](const char* name) { return material_value(material, name, 0, x); };
  std::vector<double> values(count, 0.0);
  const Law law = law_of(material);
  values[fem::solid_parameter::law] = static_cast<double>(law);
  values[plane_stress] = problem.model == "plane_stress" ? 1 : 0;
  if (material.parameters.contains("young")) {
    const double young = value("young"), poisson = value("poisson");
    values[shear] = young / (2 * (1 + poisson));
    values[bulk] = young / (3 * (1 - 2 * poisson));
  } else {
    values[shear] = value(law == Law::mooney_rivlin ? "c10" : "shear_modulus");
    values[bulk] = value("bulk_modulus");
  }
  if (law == Law::mooney_rivlin) values[second] = value("c01");
  if (law != Law::j2_plasticity) return values;
  if (material.parameters.contains("hardening_modulus"))
    values[second] = value("hardening_modulus");
  const Points points = find_points(problem, material);
  values[first_point] = points.first;
  values[n_points] = points.n;
  return values;
}

std::optional<double> poisson_ratio(const Material& material) {
  const auto number = [&](const char* name) -> std::optional<double> {
    const auto found = material.parameters.find(name);
    if (found == material.parameters.end()) return 0.0;
    const fem::Expression& value = *found->second.components.front();
    return value.is_number() ? std::optional(value.number()) : std::nullopt;
  };
  if (material.parameters.contains("poisson")) return number("poisson");
  const auto c10 = number("c10"), c01 = number("c01"), mu = number("shear_modulus"),
             kappa = number("bulk_modulus");
  if (!c10 || !c01 || !mu || !kappa) return std::nullopt;
  const double shear = *mu + 2 * (*c10 + *c01);
  return (3 * *kappa - 2 * shear) / (2 * (3 * *kappa + shear));
}

}  // namespace trestle::physics
