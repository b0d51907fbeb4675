// What an integral of a result is called and measured in, of which no mesh is needed.
#pragma once

#include <string>
#include <vector>

#include "physics/results/derived.hpp"

namespace trestle::physics {

/// Names of the values that `integrate` returns, as of `component_names`, and their unit.
struct IntegralInfo {
  std::vector<std::string> components;
  std::string unit;
};
IntegralInfo integral_info(const Description& physics, const std::string& result, bool over_cells);

}  // namespace trestle::physics
