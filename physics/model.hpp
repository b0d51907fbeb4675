// The model of a problem: what a mesh of two dimensions stands for.
#pragma once

#include "fem/cells/geometry.hpp"
#include "physics/group_lookup.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

const char* to_string(Model model);

/// The model of a problem on a mesh of `dim` dimensions: the word of the case, or the default of
/// the physics. Throws CaseError when the word does not fit the dimension.
Model model_of(const Problem& problem, int dim);
/// The model of the case, or where its word is a mistake, that of a case without it.
Model find_model(const Problem& problem, int dim, GroupLookup& lookup);

fem::Section section_of(const Problem& problem, Model model);

/// Throws MeshError, named by `model`, where an axisymmetric mesh reaches below the axis.
/// Collective.
void check_radius(const mesh::Mesh& mesh, const SourcePosition& model);

}  // namespace trestle::physics
