// What `trestle results probe` says of a place in a results file, on one rank.
#pragma once

#include <string>
#include <vector>

#include "io/results/results.hpp"

namespace trestle::io {

/// The values of every field at every step at the place `at` [m], by the shape functions of the
/// cell that holds it, for each region that touches it, as plain text. `at` has 3 numbers, or 2 in
/// the plane of a two-dimensional mesh, else Error(64). Throws Error(65) outside of every cell,
/// with the distance to the mesh.
std::string results_probe(const std::string& path, const std::vector<double>& at);

}  // namespace trestle::io
