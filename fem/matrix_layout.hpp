// MatrixLayout: the pattern of the matrices of a mesh, and where the entries of each cell stand.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fem/discretisation.hpp"
#include "solver/matrix/block_matrix.hpp"

namespace trestle::fem {

/// A block per owned node and node that shares a cell with it. The place of a column counts within
/// its row, owned columns first, then ghosts: 16 bits, since a map of whole entries would take more
/// memory than the matrix (for linear tetrahedra 32 instead of 128 bytes per cell).
struct MatrixLayout {
  std::shared_ptr<const solver::Pattern> pattern;
  std::vector<gpu::Array<std::uint16_t>> places;  // by block: [cell, node of row, node of column];
                                                  // nothing in rows that are not owned
};

/// Throws MeshError where a node shares cells with more than 65535 others.
MatrixLayout make_matrix_layout(const Discretisation& discretisation);

}  // namespace trestle::fem
