// What `trestle results probe` says of a place in a results file, on one rank.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/results/results.hpp"

namespace trestle::io {

/// A point that stands for a place: the node nearest to it, once per region.
struct NearestPoint {
  GlobalIndex point;      // in the results file
  std::int64_t node_tag;  // in the mesh file
  std::string region;
  std::array<double, 3> at;  // [m]
  double distance;           // to the place asked for [m]
};
/// The points of the node nearest to `at` [m]: one for each region that it touches. Ties go to the
/// lowest node id.
std::vector<NearestPoint> nearest_points(const ResultsContent& content,
                                         const std::array<double, 3>& at);

/// The values of every field at every step at the place `at` [m], by the shape functions of the
/// cell that holds it, for each region that touches it, as plain text. In a two-dimensional mesh
/// its z does not count. Outside of every cell the text says so, and tells the values of the
/// nearest node.
std::string results_probe(const std::string& path, const std::array<double, 3>& at);

}  // namespace trestle::io
