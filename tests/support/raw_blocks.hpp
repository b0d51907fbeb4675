// Comparing the cells of meshes that were read or made in two ways.
#pragma once

#include <vector>

#include "mesh/raw_mesh.hpp"

namespace trestle::test {

/// Expects the same blocks in the same order: types, nodes, ids, tags and sets of groups.
void expect_same_blocks(const std::vector<mesh::RawBlock>& a, const std::vector<mesh::RawBlock>& b);

}  // namespace trestle::test
