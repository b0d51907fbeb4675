// MatrixLayout: the pattern of the matrices of a mesh, and where the entries of each cell stand.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fem/discretisation.hpp"
#include "solver/matrix/block_matrix.hpp"

namespace trestle::fem {

/// A block per owned node and node that shares a cell with it. The place of a column counts within
/// its row, owned columns first, then ghosts: 16 bits, as whole entries would outweigh the matrix.
/// Where cells scatter there are none: find_entry (column_search.hpp) is quick enough.
struct MatrixLayout {
  std::shared_ptr<const solver::Pattern> pattern;
  std::vector<gpu::Array<std::uint16_t>> places;  // no blocks, or [cell, node of row, node of
                                                  // column]; nothing in rows that are not owned
};

/// Throws MeshError where a place would be more than 65535.
MatrixLayout make_matrix_layout(const Discretisation& discretisation);

}  // namespace trestle::fem
