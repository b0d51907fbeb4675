// Generated boxes of every cell type, a slice per rank.
#pragma once

#include <array>

#include "core/comm.hpp"
#include "mesh/raw_mesh.hpp"

namespace trestle::mesh {

/// A box [origin, origin + size] of cells[0] x cells[1] (x cells[2]) bricks, each one quad or hex,
/// or 2 triangles, 6 tetrahedra (Kuhn), 2 prisms, or 6 pyramids around the brick's centre. 2D for
/// tri and quad types.
struct BoxOptions {
  std::array<double, 3> origin{0, 0, 0};  // [m]
  std::array<double, 3> size{1, 1, 1};    // [m], > 0
  std::array<Index, 3> cells{1, 1, 1};    // >= 1
  CellType cell =
      CellType::hex8;  // a linear type, or a quadratic one (then all its nodes are made)
};

/// Groups: "body" (cells), "xmin", "xmax", "ymin", "ymax", "zmin", "zmax" (facets). Nodes are
/// numbered lexicographically, x fastest; cells brick by brick. Collective.
RawMesh generate_box(const Comm& comm, const BoxOptions& options);

}  // namespace trestle::mesh
