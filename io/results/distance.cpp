// The least distance of a place to the facets of cells.
#include "io/results/distance.hpp"

#include <algorithm>
#include <limits>

#include "fem/tensor.hpp"

namespace trestle::io {
namespace {

using fem::Vec3;

/// From x to the segment ab.
double to_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double length2 = dot(along, along);
  const double s = length2 > 0 ? std::clamp(dot(x - a, along) / length2, 0.0, 1.0) : 0.0;
  return norm(x - a - s * along);
}

/// From x to the triangle abc: to its plane where x stands over it, else to the nearest edge.
double to_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 normal = cross(b - a, c - a);
  const double length = norm(normal);
  const auto is_inside = [&](const Vec3& p, const Vec3& q) {
    return dot(cross(q - p, x - p), normal) >= 0;
  };
  if (length > 0 && is_inside(a, b) && is_inside(b, c) && is_inside(c, a))
    return std::abs(dot(x - a, normal)) / length;
  return std::min({to_segment(x, a, b), to_segment(x, b, c), to_segment(x, c, a)});
}

/// From x to a facet with these vertices; a quadrilateral is two triangles.
double to_facet(const Vec3& x, const std::array<Vec3, 4>& v, int n_vertices) {
  if (n_vertices == 2) return to_segment(x, v[0], v[1]);
  const double first = to_triangle(x, v[0], v[1], v[2]);
  return n_vertices == 3 ? first : std::min(first, to_triangle(x, v[0], v[2], v[3]));
}

}  // namespace

double distance_to_mesh(const mesh::Mesh& mesh, const std::array<double, 3>& x) {
  const bool flat = mesh.dim == 2;
  const auto point = [flat](const double* at) { return Vec3{at[0], at[1], flat ? 0 : at[2]}; };
  double least = std::numeric_limits<double>::infinity();
  for (const mesh::CellBlock& block : mesh.cells) {
    const mesh::CellTraits& traits = mesh::traits(block.type);
    for (std::size_t first = 0; first < block.nodes.size();
         first += static_cast<std::size_t>(traits.n_nodes))
      for (const mesh::SubCell& facet : traits.facets) {
        std::array<Vec3, 4> vertices{};
        const int n_vertices = mesh::traits(facet.type).n_vertices;
        for (std::size_t a = 0; a < static_cast<std::size_t>(n_vertices); ++a)
          vertices[a] = point(
              &mesh.coordinates[3 * static_cast<std::size_t>(block.nodes[first + facet.nodes[a]])]);
        least = std::min(least, to_facet(point(x.data()), vertices, n_vertices));
      }
  }
  return least;
}

}  // namespace trestle::io
