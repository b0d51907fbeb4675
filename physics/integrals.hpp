// Integrals of results over groups.
#pragma once

#include <string>
#include <vector>

#include "physics/derived.hpp"

namespace trestle::physics {

/// What `integral` gives, for a person: "sum over nodes", "integral over cells", "flow through
/// facets" ...
struct IntegralValue {
  std::vector<double> values;
  std::string kind;
};

/// Reactions are summed over the nodes of the group. Over cells the field is integrated over the
/// volume (fluxes at quadrature points, others from nodal values). Over facets: heat_flux gives the
/// heat that flows out [W], stress the force on the surface [N], other results their integral over
/// the area. `group` null: the whole body. Collective.
IntegralValue integrate(const Analysis& analysis, const ResultPoints& points, const State& state,
                        Derived& derived, const std::string& result, const mesh::LocalGroup* group);

/// Total strain energy of a solid [J]. Collective.
double strain_energy(const Analysis& analysis, const State& state);

}  // namespace trestle::physics
