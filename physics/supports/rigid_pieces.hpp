// Rigid pieces: groups of cells that hold each other by facets, so that each can only move as a
// whole.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh.hpp"

namespace trestle::physics {

/// The pieces that one rank sees. One piece of the whole mesh may be several on a rank.
struct RigidPieces {
  Index n = 0;
  std::vector<std::vector<Index>> of_cell;  // [block][cell], ghosts included
  std::vector<Index> of_node;               // [local node]: one piece that touches it
  std::vector<std::uint8_t> is_joint;       // [local node]: several pieces touch it
};

/// Two cells belong to one piece when they share a facet, or at least `n_holding` vertices: 3 in a
/// space, 2 in a plane, 1 where any shared node will do.
RigidPieces find_rigid_pieces(const mesh::Mesh& mesh, int n_holding);

}  // namespace trestle::physics
