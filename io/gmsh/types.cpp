// Gmsh's element types by number [Gmsh sources, GmshDefines.h].
#include "io/gmsh/types.hpp"

#include <fmt/format.h>

#include <array>

namespace trestle::io {
namespace {

constexpr std::array foreign_types{
    ForeignType{20, 9, "9-node triangle, order 3 incomplete"},
    ForeignType{21, 10, "10-node triangle, order 3"},
    ForeignType{22, 12, "12-node triangle, order 4 incomplete"},
    ForeignType{23, 15, "15-node triangle, order 4"},
    ForeignType{24, 15, "15-node triangle, order 5 incomplete"},
    ForeignType{25, 21, "21-node triangle, order 5"},
    ForeignType{26, 4, "4-node line, order 3"},
    ForeignType{27, 5, "5-node line, order 4"},
    ForeignType{28, 6, "6-node line, order 5"},
    ForeignType{29, 20, "20-node tetrahedron, order 3"},
    ForeignType{30, 35, "35-node tetrahedron, order 4"},
    ForeignType{31, 56, "56-node tetrahedron, order 5"},
    ForeignType{32, 22, "22-node tetrahedron, order 4 incomplete"},
    ForeignType{33, 28, "28-node tetrahedron, order 5 incomplete"},
    ForeignType{34, 0, "polygon"},
    ForeignType{35, 0, "polyhedron"},
    ForeignType{36, 16, "16-node quadrilateral, order 3"},
    ForeignType{37, 25, "25-node quadrilateral, order 4"},
    ForeignType{38, 36, "36-node quadrilateral, order 5"},
    ForeignType{39, 12, "12-node quadrilateral, order 3 incomplete"},
    ForeignType{40, 16, "16-node quadrilateral, order 4 incomplete"},
    ForeignType{41, 20, "20-node quadrilateral, order 5 incomplete"},
    ForeignType{62, 7, "7-node line, order 6"},
    ForeignType{63, 8, "8-node line, order 7"},
    ForeignType{64, 9, "9-node line, order 8"},
    ForeignType{65, 10, "10-node line, order 9"},
    ForeignType{66, 11, "11-node line, order 10"},
    ForeignType{84, 1, "1-node line, order 0"},
    ForeignType{85, 1, "1-node triangle, order 0"},
    ForeignType{86, 1, "1-node quadrilateral, order 0"},
    ForeignType{87, 1, "1-node tetrahedron, order 0"},
    ForeignType{88, 1, "1-node hexahedron, order 0"},
    ForeignType{89, 1, "1-node prism, order 0"},
    ForeignType{90, 40, "40-node prism, order 3"},
    ForeignType{91, 75, "75-node prism, order 4"},
    ForeignType{92, 64, "64-node hexahedron, order 3"},
    ForeignType{93, 125, "125-node hexahedron, order 4"},
    ForeignType{94, 216, "216-node hexahedron, order 5"},
    ForeignType{118, 30, "30-node pyramid, order 3"},
    ForeignType{119, 55, "55-node pyramid, order 4"},
};

}  // namespace

const mesh::CellTraits* supported_type(std::int64_t gmsh_type) {
  for (int t = 0; t < mesh::n_cell_types; ++t) {
    const mesh::CellTraits& candidate = mesh::traits(static_cast<mesh::CellType>(t));
    if (candidate.gmsh_type == gmsh_type) return &candidate;
  }
  return nullptr;
}

const ForeignType* foreign_type(std::int64_t gmsh_type) {
  for (const ForeignType& candidate : foreign_types)
    if (candidate.gmsh_type == gmsh_type) return &candidate;
  return nullptr;
}

std::string describe_type(std::int64_t gmsh_type) {
  if (const mesh::CellTraits* known = supported_type(gmsh_type))
    return fmt::format("{} ({})", gmsh_type, known->name);
  const ForeignType* foreign = foreign_type(gmsh_type);
  return fmt::format("{} ({})", gmsh_type, foreign == nullptr ? "unknown" : foreign->name);
}

}  // namespace trestle::io
