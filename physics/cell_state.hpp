// What cells remember, as rows of a table by canonical cell id.
#pragma once

#include <span>
#include <string>

#include "gpu/array.hpp"
#include "mesh/mesh.hpp"
#include "solver/state_visitor.hpp"

namespace trestle::physics {

/// Visits arrays [value][cell] of the blocks of a mesh, ghost cells included, as one table with a
/// row of values for each cell. Collective.
void visit_cells(solver::StateVisitor& visitor, const std::string& name, const mesh::Mesh& mesh,
                 std::span<gpu::Array<double>> blocks);

}  // namespace trestle::physics
