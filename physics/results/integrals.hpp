// Integrals of results over groups.
#pragma once

#include <string>
#include <vector>

#include "physics/results/derived.hpp"

namespace trestle::physics {

/// Why a result has no one integral over the facets of `group`, or "": cells lie on both sides of
/// some, where the normal of a flow or stress points nowhere, and what has a value per region has
/// two of them where materials meet. `group` null: the whole body. Collective.
std::string why_two_sided(const mesh::Mesh& mesh, const Problem& problem, const std::string& result,
                          const mesh::LocalGroup* group);

/// Reactions are summed over the nodes of the group. Over cells the field is integrated over the
/// volume (fluxes at quadrature points, others from nodal values). Over facets: heat_flux gives the
/// heat that flows out [W], stress the force on the surface [N], other results their integral over
/// the area. `group` null: the whole body. Collective.
std::vector<double> integrate(const Analysis& analysis, const ResultPoints& points,
                              const State& state, Derived& derived, const std::string& result,
                              const mesh::LocalGroup* group);

/// Whether a group, or null for the body, is integrated over cells.
bool is_of_cells(const mesh::Mesh& mesh, const mesh::LocalGroup* group);

}  // namespace trestle::physics
