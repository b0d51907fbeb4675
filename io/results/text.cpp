#include "io/results/text.hpp"

#include <fmt/core.h>

#include "io/escape.hpp"
#include "physics/results/derived.hpp"

namespace trestle::io {

std::string component_name(const ResultField& field, int component) {
  const physics::ResultInfo info{.name = field.name,
                                 .components = field.components,
                                 .unit = "",
                                 .one_sided = false,
                                 .help = ""};
  return physics::component_names(info)[static_cast<std::size_t>(component)];
}

std::string step_label(const ResultsContent& content, std::size_t step) {
  const std::string& name = content.step_names[step];
  if (!name.empty()) return fmt::format("{} {}", step, escape_terminal(name));
  const bool at_rest = content.step_names.size() == 1 && content.step_values[0] == 0;
  return at_rest ? "0" : fmt::format("{} ({})", step, content.step_values[step]);
}

const std::string& region_of(const ResultsContent& content, std::size_t point) {
  return content.region_names[static_cast<std::size_t>(content.point_regions[point])];
}

}  // namespace trestle::io
