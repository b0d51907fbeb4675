// Cell types as VTK and XDMF know them: codes and the order of nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mesh/cell_type.hpp"

namespace trestle::io {

/// How results files hold a cell type. Cells of dimension 0 and 1 are not written.
struct VtkCell {
  mesh::CellType type;     // as read back; pyramid14 is written as pyramid13, which VTK has
  std::uint8_t vtk_code;   // VTKHDF "Types" [vtkCellType.h]
  std::uint8_t xdmf_code;  // XDMF "Mixed" topology [XdmfTopologyType]
  /// Node k in the file is node `order[k]` in CellType (Gmsh) order.
  std::span<const std::uint8_t> order;
};

/// Throws Error(70) for points and lines.
const VtkCell& vtk_cell(mesh::CellType type);
/// The type of a code in a file; null when it is none that we write.
const VtkCell* vtk_cell_of_code(std::uint8_t vtk_code);

}  // namespace trestle::io
