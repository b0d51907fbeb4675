// What `trestle results probe` says of a place in a results file, on one rank.
#pragma once

#include <array>
#include <string>

#include "io/results/results.hpp"

namespace trestle::io {

/// The values of every field at every step at the place `at` [m], by the shape functions of the
/// cell that holds it, for each region that touches it, as plain text. In a two-dimensional mesh
/// its z does not count. Throws Error(65) outside of every cell, with the distance to the mesh.
std::string results_probe(const std::string& path, const std::array<double, 3>& at);

}  // namespace trestle::io
