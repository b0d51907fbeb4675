// The section `exact` of a case: the solution that it was made from.
#include <algorithm>

#include "io/case/options.hpp"
#include "io/case/parts.hpp"
#include "io/case/tables.hpp"
#include "physics/models/heat.hpp"
#include "physics/models/thermoelasticity.hpp"

namespace trestle::io {
namespace {

/// The fields that are computed: the primary one, and of thermoelasticity the temperature.
std::vector<std::string> fields_of(const physics::Description& physics) {
  std::vector<std::string> fields{physics.field};
  if (physics.name == physics::thermoelasticity().name) fields.push_back(physics::heat().field);
  return fields;
}

/// A field as its prescribed values are written, with every component given.
OptionInfo field_info_of(const physics::Description& physics, const std::string& field) {
  const auto prescribed =
      std::find_if(physics.conditions.begin(), physics.conditions.end(),
                   [&](const auto& condition) { return condition.name == field; });
  OptionInfo info = condition_info(*prescribed);
  info.help = "In x, y, z, and of a transient analysis t.";
  info.required = fields_of(physics).size() == 1;
  info.nullable = false;
  info.of_time = true;
  return info;
}

}  // namespace

OptionInfo exact_info(const physics::Description& physics) {
  OptionInfo info{
      .name = "exact",
      .kind = OptionKind::mapping,
      .help =
          "The known solution that sources, boundary values and initial fields of the case "
          "were made from; `trestle mms` measures how the error falls, a run takes no "
          "notice."};
  for (const std::string& field : fields_of(physics))
    info.entries.push_back(field_info_of(physics, field));
  info.one_of = info.entries.size() > 1;
  return info;
}

void read_exact(const YamlNode& root, const physics::Description& physics, Case& c,
                Faults& faults) {
  const YamlNode* section = root.find("exact");
  if (section == nullptr) return;
  for (const std::string& field : fields_of(physics)) {
    const YamlNode* value = section->find(field);
    if (value == nullptr || c.exact) continue;
    c.exact = read_field(*value, field_info_of(physics, field), field, nullptr);
    c.exact_field = field;
  }
  if (!c.exact || c.problem.analysis.type == physics::AnalysisType::transient) return;
  for (const auto& component : c.exact->components)
    if (component->uses_time())
      faults.add(component->where(),
                 "exact." + c.exact_field + ": t is the time, which only a transient analysis has");
}

}  // namespace trestle::io
