#include "tests/support/meshes.hpp"

#include <cmath>

namespace trestle::test {

std::shared_ptr<const mesh::Mesh> moved_box(const Comm& comm, mesh::CellType cell, Index n,
                                            const std::function<void(double*)>& move,
                                            mesh::Partitioner partitioner) {
  mesh::BoxOptions options;
  options.cell = cell;
  options.cells = {n, n, mesh::traits(cell).dim == 3 ? n : 1};
  mesh::RawMesh raw = mesh::generate_box(comm, options);
  for (std::size_t i = 0; i < raw.coordinates.size(); i += 3) move(&raw.coordinates[i]);
  return std::make_shared<const mesh::Mesh>(mesh::distribute(comm, std::move(raw), partitioner));
}

std::shared_ptr<const mesh::Mesh> box_mesh(const Comm& comm, mesh::CellType cell, Index n,
                                           double distortion, mesh::Partitioner partitioner) {
  const int dim = mesh::traits(cell).dim;
  const auto move = [&](double* x) {
    double inside = distortion * 16 * x[0] * (1 - x[0]) * x[1] * (1 - x[1]);
    if (dim == 3) inside *= 4 * x[2] * (1 - x[2]);
    const double along[3] = {std::sin(3 * x[1] + x[2]), std::cos(2 * x[0] - x[2]),
                             std::sin(x[0] + 2 * x[1])};
    for (int d = 0; d < dim; ++d) x[d] += inside * along[d];
  };
  return moved_box(comm, cell, n, move, partitioner);
}

std::vector<mesh::CellType> all_cells() {
  using enum mesh::CellType;
  return {tri3,  tri6,  quad4,  quad8,   quad9,   tet4,     tet10,     hex8,
          hex20, hex27, prism6, prism15, prism18, pyramid5, pyramid13, pyramid14};
}

std::string cell_name(mesh::CellType type) { return std::string(mesh::traits(type).name); }

}  // namespace trestle::test
