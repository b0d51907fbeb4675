#include "physics/results/integral_info.hpp"

namespace trestle::physics {
namespace {

/// A unit times m^2 or m^3: "Pa" becomes "Pa m^3", "J/m^3" "J", and "W/m^2" "W m".
std::string times_metres(const std::string& unit, int power) {
  for (const int of_unit : {2, 3})
    if (const std::string below = "/m^" + std::to_string(of_unit);
        of_unit <= power && unit.ends_with(below))
      return unit.substr(0, unit.size() - below.size()) + (of_unit < power ? " m" : "");
  const std::string metres = "m^" + std::to_string(power);
  if (unit.empty()) return metres;
  return (unit.find('/') == std::string::npos ? unit : "(" + unit + ")") + " " + metres;
}

}  // namespace

IntegralInfo integral_info(const Description& physics, const std::string& result, bool over_cells) {
  const ResultInfo& info = result_info(physics, result);
  if (result.starts_with("reaction_")) return {component_names(info), info.unit};
  if (over_cells) return {component_names(info), times_metres(info.unit, 3)};
  if (info.flow) return {{""}, physics.rate_unit};
  if (result == "stress") return {{"x", "y", "z"}, "N"};
  return {component_names(info), times_metres(info.unit, 2)};
}

}  // namespace trestle::physics
