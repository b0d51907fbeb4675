// Rollers that take the normal of their surface.
#pragma once

#include <span>
#include <vector>

#include "fem/constraints.hpp"
#include "mesh/mesh.hpp"

namespace trestle::physics {

/// A group of facets that one entry of a case holds along its normal.
struct Roller {
  const mesh::LocalGroup* group;
  int entry;
};

struct RollerDirections {
  std::vector<fem::FixedDirection> fixed;
  /// Owned nodes held in two directions that are less than 60 degrees apart: an edge, or a curved
  /// surface of few facets.
  std::vector<Index> blunt_edges;
};

/// The directions that rollers fix at owned nodes. All rollers are one surface, however groups and
/// entries divide it: of the facets at a node, those whose normals are within 30 degrees of each
/// other belong to one smooth side and are averaged by area; sides that meet in an edge stay apart,
/// each holds its own normal. The sense of a normal does not matter.
RollerDirections roller_directions(const mesh::Mesh& mesh, std::span<const Roller> rollers);

}  // namespace trestle::physics
