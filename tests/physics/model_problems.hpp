// Problems on generated boxes for the tests of physics/: conditions from text, solutions.
#pragma once

#include <string>
#include <vector>

#include "physics/analysis.hpp"
#include "physics/problem.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/meshes.hpp"

namespace trestle::test {

/// Values from expressions in x, y, z; an empty text is a free component.
physics::Value value(const std::vector<std::string>& components);
physics::Condition condition(const std::string& type, const std::vector<std::string>& on,
                             const std::vector<std::string>& components);
physics::Material material(const std::map<std::string, std::vector<std::string>>& parameters);

/// Solves case `c` of an analysis directly; u with ghosts.
solver::Vector<double> solve(const physics::Analysis& analysis, std::size_t c = 0);

/// The groups of the boundary of a box of `dim` dimensions.
std::vector<std::string> boundary(int dim);

}  // namespace trestle::test
