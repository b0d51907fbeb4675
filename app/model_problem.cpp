#include "app/model_problem.hpp"

#include "io/case/expression_parser.hpp"

namespace trestle::app {
namespace {

constexpr const char* source = "model problem";  // where a fault of an expression is said to stand

}  // namespace

physics::Condition model_condition(const std::string& type, const std::string& on,
                                   const std::map<std::string, Components>& parameters) {
  physics::Condition made{.type = type, .on = {{on, {}}}};
  for (const auto& [name, components] : parameters)
    for (const std::string& text : components)
      made.parameters[name].components.push_back(io::parse_expression(text, {source}));
  return made;
}

physics::Material model_material(const std::map<std::string, std::string>& parameters) {
  physics::Material made{.name = "medium"};
  for (const auto& [name, text] : parameters)
    made.parameters[name].components.push_back(io::parse_expression(text, {source}));
  return made;
}

}  // namespace trestle::app
