// The laws of solids: which keys of a material they take, and their numbers for the kernels.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fem/materials/solid_law.hpp"
#include "physics/models/description.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

/// The keys of a solid's material.
std::vector<ParameterInfo> solid_parameters();
/// What is wrong with a material that has these keys.
std::vector<MaterialMistake> check_solid(const std::set<std::string>& keys,
                                         const Material& material);

/// The law of a material without mistakes.
fem::Law law_of(const Material& material);
/// Whether a problem needs the operator of solid_operator.hpp: a law that is not linear, or the
/// mean dilatation.
bool needs_solid_laws(const Problem& problem);
/// The points of the hardening curves of all materials, [point, 2]: strain, stress [Pa].
std::vector<double> hardening_points(const Problem& problem);
/// The numbers of a material as fem::solid_parameter orders them, at a place [m]. Throws
/// NumericalError (81) where one is not finite.
std::vector<double> solid_values(const Problem& problem, const Material& material,
                                 const fem::Vec3& x);
/// Poisson's ratio of small strains; empty where it depends on the place.
std::optional<double> poisson_ratio(const Material& material);

}  // namespace trestle::physics
