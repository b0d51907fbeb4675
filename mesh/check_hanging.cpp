// Finds hanging nodes: nodes of the boundary that lie inside a facet of it, or inside an edge of
// one.
#include "mesh/check_hanging.hpp"

#include <fmt/format.h>

#include <set>

namespace trestle::mesh {
namespace {

constexpr double near = 1e-6;  // of the length of an edge

/// Whether `x` lies on a triangle, within `near` of its longest edge.
bool lies_on_triangle(const Point& a, const Point& b, const Point& c, const Point& x) {
  const Point u = minus(b, a), v = minus(c, a), w = minus(x, a);
  const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v);
  const double wu = dot(w, u), wv = dot(w, v), determinant = uu * vv - uv * uv;
  const double s = (vv * wu - uv * wv) / determinant, t = (uu * wv - uv * wu) / determinant;
  if (!(s > -near && t > -near && s + t < 1 + near)) return false;
  Point off = w;
  for (std::size_t d = 0; d < 3; ++d) off[d] -= s * u[d] + t * v[d];
  return dot(off, off) <= near * near * std::max({uu, vv, uu + vv - 2 * uv});
}

/// Whether `x` lies on the straight edge from `a` to `b`, away from its ends.
bool lies_inside(const Point& a, const Point& b, const Point& x) {
  const Point edge = minus(b, a), from = minus(x, a);
  const double square = dot(edge, edge), t = dot(from, edge) / square;
  if (t < near || t > 1 - near) return false;
  Point off = from;
  for (std::size_t d = 0; d < 3; ++d) off[d] -= t * edge[d];
  return length(off) <= near * std::sqrt(square);
}

/// Whether `x` lies on the facet, away from its vertices.
bool lies_inside(const BoundaryFacet& facet, const Point& x) {
  const std::array<Point, 4>& v = facet.x;
  if (facet.n_vertices == 2) return lies_inside(v[0], v[1], x);
  const double edge = length_of_edges(facet) / static_cast<double>(facet.n_vertices);
  for (const Point& vertex : facet.points())
    if (distance(vertex, x) <= near * edge) return false;
  return lies_on_triangle(v[0], v[1], v[2], x) ||
         (facet.n_vertices == 4 && lies_on_triangle(v[0], v[2], v[3], x));
}

/// "node 5 between 2 and 3", "node 5 in the facet 1, 2, 3".
std::string text_of(const RawMesh& mesh, const BoundaryFacet& facet, GlobalIndex node) {
  const auto tag = [&](GlobalIndex n) { return mesh.node_tags[static_cast<std::size_t>(n)]; };
  const Point x = point_of(mesh, node);
  std::string vertices;
  for (std::size_t i = 0; i < facet.n_vertices; ++i) {
    const std::size_t next = i + 1 < facet.n_vertices ? i + 1 : 0;
    if (lies_inside(facet.x[i], facet.x[next], x))
      return fmt::format("node {} between {} and {}", tag(node),
                         tag(std::min(facet.nodes[i], facet.nodes[next])),
                         tag(std::max(facet.nodes[i], facet.nodes[next])));
    vertices += fmt::format("{}{}", i == 0 ? "" : ", ", tag(facet.nodes[i]));
  }
  return fmt::format("node {} in the facet {}", tag(node), vertices);
}

}  // namespace

BoundaryFacet boundary_facet(const RawMesh& mesh, const CellFacet& at) {
  const RawBlock& block = mesh.cells[static_cast<std::size_t>(at.block)];
  const GlobalIndex* nodes =
      block.nodes.data() + static_cast<std::size_t>(at.cell) * width_of(block);
  const SubCell& sub = traits(block.type).facets[static_cast<std::size_t>(at.facet)];
  const CellTraits& type = traits(sub.type);
  BoundaryFacet facet{};
  facet.nodes.fill(-1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(type.n_nodes); ++i)
    facet.nodes[i] = nodes[sub.nodes[i]];
  facet.n_vertices = static_cast<std::size_t>(type.n_vertices);
  for (std::size_t i = 0; i < facet.n_vertices; ++i) facet.x[i] = point_of(mesh, facet.nodes[i]);
  facet.cell.fill(-1);
  std::copy_n(nodes, traits(block.type).n_vertices, facet.cell.begin());
  return facet;
}

std::size_t edges_of(const BoundaryFacet& facet) {
  return facet.n_vertices == 2 ? 1 : facet.n_vertices;
}

double length_of_edges(const BoundaryFacet& facet) {
  double sum = 0;
  for (std::size_t i = 0; i < edges_of(facet); ++i)
    sum += distance(facet.x[i], facet.x[i + 1 < facet.n_vertices ? i + 1 : 0]);
  return sum;
}

bool hangs_on(const BoundaryFacet& facet, GlobalIndex v, const Point& x) {
  if (facet.is_of_cell(v)) return false;
  return facet.has(v) || lies_inside(facet, x);
}

void warn_of_hanging_nodes(RawMesh& mesh, const std::vector<CellFacet>& boundary) {
  std::vector<BoundaryFacet> facets;
  std::vector<GlobalIndex> vertices;
  double total = 0;
  std::size_t n_edges = 0;
  for (const CellFacet& at : boundary) {
    const BoundaryFacet& facet = facets.emplace_back(boundary_facet(mesh, at));
    total += length_of_edges(facet);
    n_edges += edges_of(facet);
    vertices.insert(vertices.end(), facet.nodes.begin(), facet.nodes.begin() + facet.n_vertices);
  }
  if (facets.empty()) return;
  unite(vertices);
  VertexGrid grid(FacetBoxes(total / static_cast<double>(n_edges)));
  for (const GlobalIndex v : vertices) grid.add(point_of(mesh, v), v);
  grid.sort();
  std::set<GlobalIndex> hanging;
  std::string example;
  for (const BoundaryFacet& facet : facets)
    grid.near(facet, [&](GlobalIndex v) {
      if (!hangs_on(facet, v, point_of(mesh, v))) return;
      if (hanging.empty()) example = text_of(mesh, facet, v);
      hanging.insert(v);
    });
  if (hanging.empty()) return;
  mesh.warnings.push_back(fmt::format(
      "{} hanging node{}: a vertex lies inside an edge or a facet of a neighbour that has it as a "
      "mid node or not at all, such as {}; the field may gape there.",
      hanging.size(), hanging.size() == 1 ? "" : "s", example));
}

}  // namespace trestle::mesh
