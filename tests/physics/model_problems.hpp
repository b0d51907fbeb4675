// Problems on generated boxes for the tests of physics/: distorted meshes, conditions from text,
// solutions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mesh/generate.hpp"
#include "mesh/mesh.hpp"
#include "physics/analysis.hpp"
#include "physics/problem.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {

/// A unit box of `cell` with n cells along each axis, its inside moved by a smooth map of size
/// `distortion` that leaves the boundary where it is.
std::shared_ptr<const mesh::Mesh> box_mesh(
    const Comm& comm, mesh::CellType cell, Index n, double distortion,
    mesh::Partitioner partitioner = mesh::Partitioner::automatic);

/// Values from expressions in x, y, z; an empty text is a free component.
physics::Value value(const std::vector<std::string>& components);
physics::Condition condition(const std::string& type, const std::vector<std::string>& on,
                             const std::vector<std::string>& components);
physics::Material material(const std::map<std::string, std::vector<std::string>>& parameters);

/// Solves case `c` of an analysis directly; u with ghosts.
solver::Vector<double> solve(const physics::Analysis& analysis, std::size_t c = 0);

/// The groups of the boundary of a box of `dim` dimensions.
std::vector<std::string> boundary(int dim);

/// Cells of every type that fill a box, in 2D and 3D.
std::vector<mesh::CellType> all_cells();
std::string cell_name(mesh::CellType type);

}  // namespace trestle::test
