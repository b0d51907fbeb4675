// Integrals of results over groups.
#pragma once

#include <string>
#include <vector>

#include "physics/results/derived.hpp"

namespace trestle::physics {

/// Reactions are summed over the nodes of the group. Over cells the field is integrated over the
/// volume (fluxes at quadrature points, others from nodal values). Over facets: heat_flux gives the
/// heat that flows out [W], stress the force on the surface [N], other results their integral over
/// the area. `group` null: the whole body. Collective.
std::vector<double> integrate(const Analysis& analysis, const ResultPoints& points,
                              const State& state, Derived& derived, const std::string& result,
                              const mesh::LocalGroup* group);

/// Names of the values that `integrate` returns, as of `component_names`, and their unit.
struct IntegralInfo {
  std::vector<std::string> components;
  std::string unit;
};
IntegralInfo integral_info(const Analysis& analysis, const std::string& result,
                           const mesh::LocalGroup* group);

}  // namespace trestle::physics
