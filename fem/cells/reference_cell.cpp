// Reference cells as the intersection of the half-spaces of their facets.
#include "fem/cells/reference_cell.hpp"

#include <algorithm>
#include <vector>

#include "fem/tensor.hpp"

namespace trestle::fem {
namespace {

using mesh::CellType;

/// g(xi) = slope . (xi - centre): 0 at the centre, 1 on a facet, more beyond it.
struct ReferenceCell {
  Vec3 centre{};
  std::vector<Vec3> slopes;  // one per facet
};

Vec3 at(CellType type, std::size_t node) {
  const auto& x = mesh::traits(type).nodes[node];
  return {{x[0], x[1], x[2]}};
}

/// A normal of the facet through its first nodes, in the plane of the cell where that is 2D.
Vec3 normal_of(CellType type, const mesh::SubCell& facet) {
  const int dim = mesh::traits(type).dim;
  if (dim == 1) return {{1, 0, 0}};
  const Vec3 a = at(type, facet.nodes[1]) - at(type, facet.nodes[0]);
  if (dim == 2) return {{a[1], -a[0], 0}};
  return cross(a, at(type, facet.nodes[2]) - at(type, facet.nodes[0]));
}

ReferenceCell make_reference_cell(CellType type) {
  const auto& t = mesh::traits(type);
  ReferenceCell cell;
  for (int v = 0; v < t.n_vertices; ++v) cell.centre += at(type, static_cast<std::size_t>(v));
  cell.centre *= 1.0 / t.n_vertices;
  for (const auto& facet : t.facets) {
    const Vec3 normal = normal_of(type, facet);
    cell.slopes.push_back((1 / dot(normal, at(type, facet.nodes[0]) - cell.centre)) * normal);
  }
  return cell;
}

const ReferenceCell& reference_cell(CellType type) {
  static const std::vector<ReferenceCell> cells = [] {
    std::vector<ReferenceCell> all;
    for (int i = 0; i < mesh::n_cell_types; ++i)
      all.push_back(make_reference_cell(static_cast<CellType>(i)));
    return all;
  }();
  return cells[static_cast<std::size_t>(type)];
}

}  // namespace

std::array<double, 3> centre_of_cell(CellType type) {
  const Vec3& c = reference_cell(type).centre;
  return {c[0], c[1], c[2]};
}

std::array<double, 3> clamp_to_cell(CellType type, std::array<double, 3> xi) {
  const ReferenceCell& cell = reference_cell(type);
  const Vec3 from_centre = Vec3{{xi[0], xi[1], xi[2]}} - cell.centre;
  double farthest = 0;
  for (const Vec3& slope : cell.slopes) farthest = std::max(farthest, dot(slope, from_centre));
  if (farthest <= 1) return xi;
  const Vec3 inside = cell.centre + (1 / farthest) * from_centre;
  return {inside[0], inside[1], inside[2]};
}

}  // namespace trestle::fem
