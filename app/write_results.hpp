// Writes results.hdf: the fields of a case for every state.
#pragma once

#include <string>

#include "io/case/case.hpp"
#include "io/results/results.hpp"
#include "physics/results/derived.hpp"

namespace trestle::app {

/// The points and cells of this rank as the results file wants them; both arguments must outlive
/// it.
io::ResultMesh make_result_mesh(const physics::Analysis& analysis,
                                const physics::ResultPoints& points);

/// The fields of a case with their components and units.
std::vector<io::ResultField> result_fields(const io::Case& c,
                                           const physics::Description& description);

/// Values [owned point, components] of every field of a state. Collective.
std::vector<std::vector<double>> field_values(const io::Case& c, const physics::Analysis& analysis,
                                              const physics::ResultPoints& points,
                                              physics::Derived& derived);

}  // namespace trestle::app
