// The checks of check.hpp for a mesh in slices: whether all of them pass, with no rank holding the
// whole mesh.
#pragma once

#include "core/comm.hpp"
#include "mesh/raw_mesh.hpp"

namespace trestle::mesh {

/// Whether `mesh` is as check_and_mend would leave it: with nothing to merge, drop, turn or refuse,
/// and nothing to warn of but several parts, whose warning is added then. Where it is not, only the
/// checks of the whole mesh can say or mend what is wrong. The same on all ranks. Collective.
[[nodiscard]] bool is_clean(const Comm& comm, RawMesh& mesh);

}  // namespace trestle::mesh
