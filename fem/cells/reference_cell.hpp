// The shape of a reference cell: its centre, and whether points lie inside.
#pragma once

#include <array>

#include "mesh/cell_type.hpp"

namespace trestle::fem {

/// The mean of the vertices.
std::array<double, 3> centre_of_cell(mesh::CellType type);

/// `xi` itself inside the reference cell, else the point where the line from the centre to it
/// leaves the cell.
std::array<double, 3> clamp_to_cell(mesh::CellType type, std::array<double, 3> xi);

}  // namespace trestle::fem
