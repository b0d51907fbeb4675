// The numbers that Gmsh gives to element types: those this program has, and the names of those it
// has not.
#pragma once

#include <string>

#include "mesh/cell_type.hpp"

namespace trestle::io {

/// The cell type with the number `gmsh_type`; null when this program has none.
const mesh::CellTraits* supported_type(std::int64_t gmsh_type);

/// An element type of Gmsh that this program does not have.
struct ForeignType {
  int gmsh_type;
  int n_nodes;  // 0: not fixed, as for polygons
  const char* name;
};

/// The type with the number `gmsh_type`; null when Gmsh has none that is known here.
const ForeignType* foreign_type(std::int64_t gmsh_type);

/// "21 (10-node triangle, order 3)", or "999 (unknown)".
std::string describe_type(std::int64_t gmsh_type);

}  // namespace trestle::io
