// Finds hanging nodes: nodes of the boundary that lie inside an edge of another boundary facet.
#include "mesh/check_hanging.hpp"

#include <fmt/format.h>

#include <set>

namespace trestle::mesh {

std::vector<Edge> boundary_edges(const RawMesh& mesh, const std::vector<CellFacet>& boundary) {
  std::vector<Edge> edges;
  for (const CellFacet& at : boundary) {
    const RawBlock& block = mesh.cells[static_cast<std::size_t>(at.block)];
    const GlobalIndex* nodes =
        block.nodes.data() + static_cast<std::size_t>(at.cell) * width_of(block);
    const SubCell& facet = traits(block.type).facets[static_cast<std::size_t>(at.facet)];
    const auto add = [&](GlobalIndex a, GlobalIndex b, GlobalIndex middle) {
      edges.push_back({std::min(a, b), std::max(a, b), middle});
    };
    const auto node = [&](std::size_t i) { return nodes[facet.nodes[i]]; };
    const CellTraits& type = traits(facet.type);
    if (type.dim == 1) add(node(0), node(1), type.order == 2 ? node(2) : -1);
    for (const SubCell& side : type.dim == 2 ? type.edges : std::span<const SubCell>())
      add(node(side.nodes[0]), node(side.nodes[1]), type.order == 2 ? node(side.nodes[2]) : -1);
  }
  unite(edges);
  return edges;
}

bool lies_inside(const Point& a, const Point& b, const Point& x) {
  constexpr double near = 1e-6;  // of the edge's length
  double along = 0, square = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    along += (x[d] - a[d]) * (b[d] - a[d]);
    square += (b[d] - a[d]) * (b[d] - a[d]);
  }
  const double t = along / square;
  if (t < near || t > 1 - near) return false;
  Point off{};
  for (std::size_t d = 0; d < 3; ++d) off[d] = x[d] - a[d] - t * (b[d] - a[d]);
  return length(off) <= near * std::sqrt(square);
}

void warn_of_hanging_nodes(RawMesh& mesh, const std::vector<CellFacet>& boundary) {
  const std::vector<Edge> edges = boundary_edges(mesh, boundary);
  if (edges.empty()) return;
  const auto x = [&](GlobalIndex node) { return point_of(mesh, node); };
  double total = 0;
  std::vector<GlobalIndex> vertices;
  for (const Edge& edge : edges) {
    total += distance(x(edge[0]), x(edge[1]));
    vertices.insert(vertices.end(), {edge[0], edge[1]});
  }
  unite(vertices);
  VertexGrid grid(EdgeBoxes(total / static_cast<double>(edges.size())));
  for (const GlobalIndex v : vertices) grid.add(x(v), v);
  grid.sort();
  std::set<GlobalIndex> hanging;
  Edge example{};
  for (const Edge& edge : edges)
    grid.near(x(edge[0]), x(edge[1]), [&](GlobalIndex v) {
      if (std::find(edge.begin(), edge.end(), v) != edge.end()) return;
      if (!lies_inside(x(edge[0]), x(edge[1]), x(v))) return;
      if (hanging.empty()) example = {edge[0], edge[1], v};
      hanging.insert(v);
    });
  if (hanging.empty()) return;
  const auto tag = [&](std::size_t i) {
    return mesh.node_tags[static_cast<std::size_t>(example[i])];
  };
  mesh.warnings.push_back(fmt::format(
      "{} hanging node{}: a vertex lies inside an edge of a neighbour that does not have "
      "it, such as node {} between {} and {}; the field may gape there.",
      hanging.size(), hanging.size() == 1 ? "" : "s", tag(2), tag(0), tag(1)));
}

}  // namespace trestle::mesh
