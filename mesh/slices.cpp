// The bounding box of a mesh in slices.
#include "mesh/slices.hpp"

#include <limits>

namespace trestle::mesh {

Bounds bounds_of(const RawMesh& mesh) {
  constexpr double far = std::numeric_limits<double>::max();
  Bounds bounds{{far, far, far}, {-far, -far, -far}};
  for (std::size_t i = 0; i < mesh.coordinates.size(); i += 3)
    for (std::size_t d = 0; d < 3; ++d) {
      bounds.lower[d] = std::min(bounds.lower[d], mesh.coordinates[i + d]);
      bounds.upper[d] = std::max(bounds.upper[d], mesh.coordinates[i + d]);
    }
  return bounds;
}

Bounds bounds_of(const Comm& comm, const RawMesh& mesh) {
  Bounds bounds = bounds_of(mesh);
  comm.min(std::span<double>(bounds.lower));
  comm.max(std::span<double>(bounds.upper));
  return bounds;
}

}  // namespace trestle::mesh
