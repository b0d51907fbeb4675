// What the mesh tests share: whole meshes on every rank as references, cutting them into slices,
// and measures by the divergence theorem.
#pragma once

#include <string>
#include <vector>

#include "core/comm.hpp"
#include "mesh/mesh.hpp"

namespace trestle::mesh::test {

using Point = std::array<double, 3>;

/// The communicator of this rank alone: what is made on it is the serial reference.
const Comm& alone();

/// All slices of `mesh` put together, on every rank: cells of a type in one block by ascending id,
/// entities of a type in one block, sorted by tag. Collective.
RawMesh whole(const Comm& comm, const RawMesh& mesh);

/// The slice of this rank of a whole mesh: shares of nodes and cells; entity e on rank e % size.
RawMesh slice(const Comm& comm, const RawMesh& whole);

/// A hexahedron, a pyramid on top, a prism beside it and a tetrahedron beside the pyramid, with
/// groups: cells "hex" and "rest"; facets "interface" (both internal facets of the pyramid, one of
/// them twice), "bottom", and "both" of which each of the last two has one; edge "edge"; point
/// "tip"; "nothing" without entities. Its volume is mixed_volume.
RawMesh mixed_mesh();
constexpr double mixed_volume = 1 + 1.0 / 3 + 0.5 + 1.25 / 6;

/// A straight box of this type with few cells, no two sides alike.
RawMesh small_box(const Comm& comm, CellType type);

/// Every type that boxes are made of.
std::vector<CellType> box_types();

/// Length, area or volume of a straight cell or entity; x(i) are the coordinates of its vertex i.
double measure_of(CellType type, const std::vector<Point>& x);

/// The vertices of a cell of `block`, by node ids into the whole mesh.
std::vector<Point> vertices_of(const RawMesh& whole, const RawBlock& block, std::size_t cell);

/// Sum of the measures of all cells.
double measure_of(const RawMesh& whole);

}  // namespace trestle::mesh::test
