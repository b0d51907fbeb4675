// Hands slices of a mesh that rank 0 holds to all ranks.
#pragma once

#include "core/comm.hpp"
#include "mesh/raw_mesh.hpp"

namespace trestle::mesh {

/// Rank 0's `whole` mesh as a slice per rank: nodes and cells by share_of, entities of lower
/// dimension evenly. The cells' ids are 0 .. n_cells - 1, ascending in each block. Collective.
RawMesh scatter(const Comm& comm, RawMesh whole);

/// Groups and sets of groups become rank 0's. Collective.
void broadcast_groups(const Comm& comm, RawMesh& mesh);

}  // namespace trestle::mesh
