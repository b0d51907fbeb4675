// Materials and conditions of problems that the program makes itself, from the words of a case
// file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "physics/problem.hpp"

namespace trestle::app {

/// Expressions of the components of a value, in SI.
using Components = std::vector<std::string>;

/// A condition of a type that the physics knows, on the group `on`.
physics::Condition model_condition(const std::string& type, const std::string& on,
                                   const std::map<std::string, Components>& parameters);

/// The material of every cell.
physics::Material model_material(const std::map<std::string, std::string>& parameters);

}  // namespace trestle::app
