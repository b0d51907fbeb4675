// The section `exact` of a case: the solution that it was made from.
#include <algorithm>

#include "io/case_options.hpp"
#include "io/case_parts.hpp"
#include "io/case_tables.hpp"

namespace trestle::io {
namespace {

/// The primary field as its prescribed values are written, with every component given.
OptionInfo field_of(const physics::Description& physics) {
  const auto prescribed =
      std::find_if(physics.conditions.begin(), physics.conditions.end(),
                   [&](const auto& condition) { return condition.name == physics.field; });
  OptionInfo info = condition_info(*prescribed);
  info.help = "In x, y, z, and of a transient analysis t.";
  info.required = true;
  info.nullable = false;
  info.of_time = true;
  return info;
}

}  // namespace

OptionInfo exact_info(const physics::Description& physics) {
  return {.name = "exact",
          .kind = OptionKind::mapping,
          .help =
              "The known solution that sources, boundary values and initial fields of the case "
              "were made from; `trestle mms` measures how the error falls, a run takes no "
              "notice.",
          .entries = {field_of(physics)}};
}

void read_exact(const YamlNode& root, const physics::Description& physics, Case& c,
                Faults& faults) {
  const YamlNode* section = root.find("exact");
  const YamlNode* field = section != nullptr ? section->find(physics.field) : nullptr;
  if (field == nullptr) return;
  c.exact = read_field(*field, field_of(physics), physics.field, nullptr);
  if (!c.exact || c.problem.analysis.type == physics::AnalysisType::transient) return;
  for (const auto& component : c.exact->components)
    if (component->uses_time())
      faults.add(component->where(),
                 "exact." + physics.field + ": t is the time, which only a transient analysis has");
}

}  // namespace trestle::io
