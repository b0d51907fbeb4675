// The Galerkin product P' A P: the matrix of the next coarser level.
#pragma once

#include "solver/multigrid/block_rows.hpp"

namespace trestle::solver {

struct CoarseLevel {
  LevelMatrix matrix;          // its map is that of the coarse nodes
  BlockRowsStore prolongator;  // [owned fine node] rows, columns local to the coarse map
  BlockRowsStore restriction;  // [owned coarse node] rows, columns local to the fine map
};

/// Makes the coarse matrix and both transfers from the owned rows of the prolongator, whose columns
/// `numbers` counts. Coarse unknowns that no fine one sees (a zero row) get the largest diagonal entry
/// of their block.
/// Sums run in the order of fine nodes. Collective.
CoarseLevel make_coarse_level(const BlockRowsOnHost& a, const IndexMap& fine, BlockRowsStore p,
                              LocalNumbers numbers);

}  // namespace trestle::solver
