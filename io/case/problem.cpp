// Materials, conditions, load cases and combinations of a case.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/number.hpp"
#include "core/units.hpp"
#include "io/case/options.hpp"
#include "io/case/parts.hpp"
#include "io/case/tables.hpp"
#include "physics/models/darcy.hpp"
#include "physics/models/elasticity.hpp"
#include "physics/models/thermoelasticity.hpp"
#include "physics/solid_materials.hpp"

namespace trestle::io {
namespace {

using physics::Condition;
using physics::ConditionInfo;
using physics::Description;

class ProblemReader {
 public:
  ProblemReader(const YamlNode& root, const Description& physics, physics::Problem& problem,
                Faults& faults)
      : root_(root), physics_(physics), problem_(problem), faults_(faults) {}

  void read() {
    fill_options(root_, problem_table(&physics_), problem_);
    if (const YamlEntry* model = root_.find_entry("model")) problem_.model_where = model->where();
    if (const YamlEntry* thickness = root_.find_entry("thickness")) {
      problem_.thickness_where = thickness->where();
      if (problem_.model == "axisymmetric")
        faults_.add(problem_.thickness_where,
                    "thickness: is for plane models; an axisymmetric model has "
                    "the full circle");
    }
    refuse_formulation();
    read_materials();
    check_gravity();
    problem_.conditions = read_conditions(root_.find("boundary"));
    const YamlEntry* boundary = root_.find_entry("boundary");
    problem_.boundary = boundary != nullptr ? boundary->where() : root_.where();
    read_cases();
    read_combinations();
  }

 private:
  void read_materials() {
    const YamlNode* section = root_.find("materials");
    if (section == nullptr || !section->is_mapping()) return;
    for (const YamlEntry& entry : section->entries) {
      if (!entry.value.is_mapping()) continue;
      physics::Material material;
      material.name = entry.key;
      material.where = entry.where();
      material.on = read_groups(entry.value.find("on"), faults_);
      for (const physics::ParameterInfo& parameter : physics_.material)
        if (const YamlNode* node = entry.value.find(parameter.name))
          read_parameter(*node, parameter, material);
      check_together(entry, material);
      if (section->entries.size() > 1 && entry.value.find("on") == nullptr)
        faults_.add(entry.where(), "the key materials." + entry.key +
                                       ".on is missing: where there "
                                       "are several materials, each names its groups of cells");
      refuse_shared_groups(material);
      problem_.materials.push_back(std::move(material));
    }
  }

  static void read_parameter(const YamlNode& node, const physics::ParameterInfo& parameter,
                             physics::Material& material) {
    const OptionInfo info = material_info(parameter);
    if (info.kind == OptionKind::field) {
      if (auto value = read_field(node, info, parameter.name, nullptr))
        material.parameters[parameter.name] = *value;
      return;
    }
    const OptionValue value = read_option(node, info, parameter.name, nullptr);
    if (const auto* word = std::get_if<std::string>(&value)) material.words[parameter.name] = *word;
    if (const auto* number = std::get_if<double>(&value))
      material.parameters[parameter.name] = {
          {fem::Expression({{fem::Expression::Op::number, *number}}, node.text, node.where())},
          node.where()};
    if (const auto* numbers = std::get_if<std::vector<double>>(&value))
      for (std::size_t i = 0; i < numbers->size(); i += 2)
        material.curves[parameter.name].points.push_back({(*numbers)[i], (*numbers)[i + 1]});
  }

  /// Keys that do not fit together, and missing ones.
  void check_together(const YamlEntry& entry, const physics::Material& material) {
    if (physics_.check_material == nullptr) return;
    std::set<std::string> keys;
    for (const YamlEntry& key : entry.value.entries) keys.insert(key.key);
    if (keys.contains("law") && !material.words.contains("law")) return;
    for (const physics::MaterialMistake& mistake : physics_.check_material(keys, material)) {
      const std::string path = "materials." + entry.key + "." + mistake.key;
      if (mistake.missing)
        faults_.add(entry.value.where(), "the key " + path + " is missing: " + mistake.message);
      else
        faults_.add(entry.value.find_entry(mistake.key)->where(), path + ": " + mistake.message);
    }
    if (const YamlEntry* cases = root_.find_entry("cases");
        cases != nullptr && physics::law_of(material) != fem::Law::linear)
      faults_.add(cases->where(), "cases: load cases share one matrix, which the law of " +
                                      in_quotes(entry.key) +
                                      " does not have; write a case file for each");
  }

  void refuse_formulation() {
    const YamlEntry* entry = root_.find_entry("formulation");
    if (entry == nullptr) return;
    if (physics_.name != physics::elasticity().name &&
        physics_.name != physics::thermoelasticity().name)
      faults_.add(entry->where(), "formulation: is for solids; leave it out");
    else if (problem_.model == "plane_stress" && problem_.formulation != fem::Formulation::standard)
      faults_.add(entry->where(),
                  "formulation: plane_stress does not lock, as its thickness is free to change; "
                  "leave it out");
  }

  /// Gravity is a key of its own where it is a part of the law of flow.
  void check_gravity() {
    const YamlEntry* entry = root_.find_entry("gravity");
    if (physics_.name == physics::darcy().name) {
      const bool pulls = problem_.gravity != std::array<double, 3>{};
      for (const physics::Material& material : problem_.materials)
        if (pulls && !root_.find("materials")->find(material.name)->find("density"))
          faults_.add(material.where, "the key materials." + material.name +
                                          ".density is missing: gravity pulls at the fluid by it");
    } else if (entry != nullptr) {
      faults_.add(entry->where(),
                  physics_.name == physics::elasticity().name
                      ? "gravity: is a load of solids: write {on: GROUP, gravity: [0, 0, -9.81]} "
                        "in boundary"
                      : "gravity: is for darcy; leave it out");
    }
  }

  void refuse_shared_groups(const physics::Material& material) {
    for (const physics::GroupRef& group : material.on) {
      const auto [owner, is_new] =
          group_owner_.emplace(group.name, Owner{material.name, group.where});
      if (!is_new && owner->second.material != material.name)
        faults_.add(group.where, "the group " + in_quotes(group.name) + " has the material " +
                                     in_quotes(owner->second.material) + " already (" +
                                     to_string(owner->second.where) + ")");
    }
  }

  std::vector<Condition> read_conditions(const YamlNode* list) {
    std::vector<Condition> conditions;
    if (list == nullptr || !list->is_list()) return conditions;
    for (const YamlNode& item : list->items)
      for (const ConditionInfo& info : physics_.conditions)
        if (const YamlEntry* entry = item.find_entry(info.name))
          conditions.push_back(read_condition(item, *entry, info));
    return conditions;
  }

  Condition read_condition(const YamlNode& item, const YamlEntry& entry,
                           const ConditionInfo& info) {
    Condition condition;
    condition.type = info.name;
    condition.where = entry.where();
    condition.on = read_groups(item.find("on"), faults_);
    const OptionInfo option = condition_info(info);
    if (is_plain(info)) {
      if (auto value = read_field(entry.value, option, info.name, nullptr))
        condition.parameters["value"] = *value;
      return condition;
    }
    for (const OptionInfo& parameter : option.entries)
      if (const YamlNode* node = entry.value.find(parameter.name))
        if (auto value = read_field(*node, parameter, parameter.name, nullptr))
          condition.parameters[parameter.name] = *value;
    refuse_zero_normal(condition);
    return condition;
  }

  void refuse_zero_normal(const Condition& condition) {
    const auto normal = condition.parameters.find("normal");
    if (normal == condition.parameters.end()) return;
    for (const auto& component : normal->second.components)
      if (!component || !component->is_number() || component->number() != 0) return;
    faults_.add(normal->second.where, condition.type + ".normal: must not be zero");
  }

  void read_cases() {
    const YamlNode* list = root_.find("cases");
    if (list == nullptr || !list->is_list()) return;
    for (const YamlNode& item : list->items) {
      const YamlNode* name = item.find("name");
      if (name == nullptr || !name->is_scalar()) continue;
      refuse_known_name(*name);
      problem_.cases.push_back({name->text, read_conditions(item.find("boundary"))});
    }
  }

  void refuse_known_name(const YamlNode& name) {
    if (!names_.insert(name.text).second)
      faults_.add(name.where(),
                  "there is a load case or combination " + in_quotes(name.text) + " already");
  }

  void read_combinations() {
    const YamlNode* list = root_.find("combine");
    if (list == nullptr || !list->is_list()) return;
    if (!physics_.no_combinations.empty()) {
      faults_.add(list->where(), "combine: " + physics_.no_combinations);
      return;
    }
    if (problem_.cases.empty()) {
      faults_.add(list->where(), "combine: there are no load cases (the key cases)");
      return;
    }
    for (const YamlNode& item : list->items) {
      const YamlNode* name = item.find("name");
      const YamlNode* of = item.find("of");
      if (name == nullptr || !name->is_scalar() || of == nullptr || !of->is_mapping()) continue;
      refuse_known_name(*name);
      problem_.combinations.push_back({name->text, read_factors(*of)});
    }
  }

  std::map<std::string, double> read_factors(const YamlNode& of) {
    std::vector<std::string> known;
    for (const physics::LoadCase& load_case : problem_.cases) known.push_back(load_case.name);
    std::map<std::string, double> factors;
    for (const YamlEntry& entry : of.entries) {
      if (std::find(known.begin(), known.end(), entry.key) == known.end())
        faults_.add(entry.where(),
                    "unknown load case " + in_quotes(entry.key) + suggestion(entry.key, known));
      if (const ParsedNumber factor = parse_quantity(entry.value.text, ""); factor.ok())
        factors[entry.key] = factor.value;
    }
    return factors;
  }

  const YamlNode& root_;
  const Description& physics_;
  physics::Problem& problem_;
  Faults& faults_;
  std::set<std::string> names_;  // of cases and combinations
  struct Owner {
    std::string material;
    SourcePosition where;
  };
  std::map<std::string, Owner> group_owner_;
};

std::optional<double> constant(const physics::Material& material, const char* name) {
  const auto found = material.parameters.find(name);
  if (found == material.parameters.end()) return std::nullopt;
  const auto& first = found->second.components[0];
  return first && first->is_number() ? std::optional(first->number()) : std::nullopt;
}

/// Range of a property over all engineering materials; 1 is taken as a number without units.
struct Range {
  const char* name;
  const char* unit;
  double least, most;
};
constexpr Range ranges[] = {{"young", "Pa", 1e3, 2e12},
                            {"density", "kg/m^3", 1e-2, 3e4},
                            {"thermal_expansion", "1/K", -1e-3, 1e-3},
                            {"conductivity", "W/(m K)", 1e-3, 1e4}};

}  // namespace

void read_problem(const YamlNode& root, const Description& physics, Case& c, Faults& faults) {
  ProblemReader(root, physics, c.problem, faults).read();
}

std::vector<std::string> implausible_values(const physics::Problem& problem) {
  std::vector<std::string> warnings;
  const auto warn = [&](const physics::Material& material, const std::string& what) {
    warnings.push_back(to_string(material.where) + ": materials." + material.name + ": " + what +
                       "; values are in SI unless a unit stands beside them");
  };
  for (const physics::Material& material : problem.materials) {
    const auto young = constant(material, "young"), density = constant(material, "density");
    if (young && density && *young != 1 && *density != 1) {
      const double speed = std::sqrt(*young / *density);
      if (speed < 50 || speed > 20000) {
        warn(material,
             fmt::format("the speed of sound sqrt(young/density) is {:g} m/s, outside 50 to "
                         "20000 (steel: 5172)",
                         speed));
        continue;
      }
    }
    for (const Range& range : ranges) {
      const auto value = constant(material, range.name);
      if (value && *value != 1 && (*value < range.least || *value > range.most))
        warn(material, fmt::format("{} is {:g} {}, outside {:g} to {:g}", range.name, *value,
                                   range.unit, range.least, range.most));
    }
  }
  return warnings;
}

}  // namespace trestle::io
