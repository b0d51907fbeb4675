// Cell types: names, dimensions, and which of a cell's nodes make its edges and facets.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace trestle::mesh {

/// The nodes of every type stand in Gmsh's order [Gmsh reference manual, "Node ordering"]; io
/// converts for VTK.
enum class CellType : std::uint8_t {
  point1,
  line2,
  line3,
  tri3,
  tri6,
  quad4,
  quad8,
  quad9,
  tet4,
  tet10,
  hex8,
  hex20,
  hex27,
  prism6,
  prism15,
  prism18,
  pyramid5,
  pyramid13,
  pyramid14,
};
constexpr int n_cell_types = 19;
constexpr int max_nodes_per_cell = 27;

/// A facet or edge of a cell: its type and the cell's nodes that make it. A facet's vertices run so
/// that the normal by the right-hand rule points out of the cell (in 2D: the normal (dy, -dx)
/// points out).
struct SubCell {
  CellType type;
  std::array<std::uint8_t, 9> nodes;
};

/// Everything that is fixed about a cell type.
struct CellTraits {
  CellType type;
  std::string_view name;
  int dim;
  int order;  // 1 or 2
  int n_nodes;
  int n_vertices;   // the first n_vertices nodes are the vertices
  CellType linear;  // the type with the same vertices and order 1
  CellType full;    // the order-2 type that `order: 2` makes of the linear one (tri6, quad9, tet10,
                    // hex27 ...)
  std::span<const SubCell> facets;  // dim - 1
  std::span<const SubCell> edges;   // dim 1; for 2D cells the same as the facets
  int gmsh_type;
  /// Reference coordinates of the nodes, 3 each. Reference cells: line [-1, 1], tri and tet the
  /// unit simplices, quad and hex [-1, 1]^d, prism unit triangle x [-1, 1], pyramid base [-1, 1]^2
  /// with apex (0, 0, 1).
  std::span<const std::array<double, 3>> nodes;
};

const CellTraits& traits(CellType type);

/// The vertices of a cell in whose middle one of its nodes lies: 1 (the vertex itself), 2 (edge),
/// 4 (quadrilateral) or 8 (hexahedron).
struct NodeParents {
  std::array<std::uint8_t, 8> vertices;
  int n;
};
NodeParents node_parents(CellType type, int node);

/// The type named `name`; returns false when there is none.
bool cell_type_named(std::string_view name, CellType& type);

}  // namespace trestle::mesh
