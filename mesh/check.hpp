// Checks of a whole mesh on one rank, before it is cut into slices: what can be mended is, with a
// warning; what cannot is refused by the ids of the file.
#pragma once

#include "mesh/raw_mesh.hpp"

namespace trestle::mesh {

struct CheckOptions {
  /// > 0: nodes closer than this times the size of the mesh become one; at most 0.01.
  double merge_tolerance = 0;
};

/// Checks and mends `mesh`, which is whole: its slice is everything, `ids` of its cells are any
/// ascending numbers. In order: merges coincident nodes where asked; merges elements with the same
/// nodes, refuses an id of several elements; drops nodes that no cell uses; refuses 2D meshes that
/// do not lie in the x-y plane; turns inverted cells; refuses cells without positive Jacobian,
/// faces of three cells, overlapping neighbours, mid nodes that neighbours do not share, and facet
/// elements that are no facet of a cell; warns of separate parts, coincident and hanging nodes.
/// Then cells are numbered 0 .. n_cells - 1 in the order of `ids`. Throws MeshError naming ids,
/// kind of fault and place.
void check_and_mend(RawMesh& mesh, const CheckOptions& options);

}  // namespace trestle::mesh
