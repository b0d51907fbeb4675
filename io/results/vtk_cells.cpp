#include "io/results/vtk_cells.hpp"

#include <array>
#include <string>

#include "core/error.hpp"

namespace trestle::io {

namespace {

using mesh::CellType;
using Order = std::uint8_t;

// Gmsh numbers mid-edge nodes by its own edge lists; VTK goes round the base, round the top, then
// up. [Gmsh reference manual, "Node ordering"; vtkQuadraticHexahedron.h and its relatives]
constexpr Order same[27] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                            14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26};
constexpr Order tet10[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
// Faces of a triquadratic hexahedron in VTK: -x +x -y +y -z +z, in Gmsh: -z -y -x +x +y +z.
constexpr Order hex27[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                           19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26};
// Quadrangles of a wedge in VTK: 0143, 1254, 2035; in Gmsh: 0143, 0254, 1254.
constexpr Order prism18[] = {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11, 15, 17, 16};
constexpr Order pyramid13[] = {0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12};

constexpr std::span<const Order> first(const Order* order, std::size_t n) { return {order, n}; }

constexpr std::array<VtkCell, 14> cells = {{
    {CellType::tri3, 5, 4, first(same, 3)},
    {CellType::tri6, 22, 36, first(same, 6)},
    {CellType::quad4, 9, 5, first(same, 4)},
    {CellType::quad8, 23, 37, first(same, 8)},
    {CellType::quad9, 28, 35, first(same, 9)},
    {CellType::tet4, 10, 6, first(same, 4)},
    {CellType::tet10, 24, 38, tet10},
    {CellType::hex8, 12, 9, first(same, 8)},
    {CellType::hex20, 25, 48, first(hex27, 20)},
    {CellType::hex27, 29, 50, hex27},
    {CellType::prism6, 13, 8, first(same, 6)},
    {CellType::prism15, 26, 40, first(prism18, 15)},
    {CellType::prism18, 32, 41, prism18},
    {CellType::pyramid5, 14, 7, first(same, 5)},
}};
// Neither VTK's nor XDMF's common readers have a 14-node pyramid: the centre of the base stays a
// point that no cell uses.
constexpr VtkCell pyramid{CellType::pyramid13, 27, 39, pyramid13};

}  // namespace

const VtkCell& vtk_cell(mesh::CellType type) {
  if (type == CellType::pyramid13 || type == CellType::pyramid14) return pyramid;
  for (const VtkCell& cell : cells)
    if (cell.type == type) return cell;
  throw Error(ExitCode::bug, "cells of type " + std::string(mesh::traits(type).name) +
                                 " have no place in a results file: only cells of the mesh's "
                                 "dimension do");
}

const VtkCell* vtk_cell_of_code(std::uint8_t vtk_code) {
  if (vtk_code == pyramid.vtk_code) return &pyramid;
  for (const VtkCell& cell : cells)
    if (cell.vtk_code == vtk_code) return &cell;
  return nullptr;
}

}  // namespace trestle::io
