// Finds hanging nodes: nodes of the boundary that lie inside an edge of another boundary facet.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mesh/check_steps.hpp"

namespace trestle::mesh {
namespace {

using Edge = std::array<GlobalIndex, 3>;  // ends and the middle node, -1 where there is none

/// The edges of the boundary facets, each once; in 2D the facets themselves.
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
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// Boundary vertices in a grid of boxes.
class VertexGrid {
 public:
  VertexGrid(const RawMesh& mesh, const std::vector<Edge>& edges) : mesh_(mesh) {
    double total = 0;
    for (const Edge& edge : edges) total += edge_length(edge);
    width_ = total / static_cast<double>(edges.size());
    std::vector<GlobalIndex> vertices;
    for (const Edge& edge : edges) vertices.insert(vertices.end(), {edge[0], edge[1]});
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    for (const GlobalIndex v : vertices) entries_.push_back({box_of(point_of(mesh, v)), v});
    std::sort(entries_.begin(), entries_.end());
  }

  double edge_length(const Edge& edge) const {
    const Point a = point_of(mesh_, edge[0]), b = point_of(mesh_, edge[1]);
    return length({b[0] - a[0], b[1] - a[1], b[2] - a[2]});
  }

  /// Calls found(v) for the vertices in the boxes that the box around a straight edge touches;
  /// an edge that is very much longer than others is left out.
  template <class Found>
  void near(const Edge& edge, Found found) const {
    const Box a = box_of(point_of(mesh_, edge[0])), b = box_of(point_of(mesh_, edge[1]));
    constexpr std::int64_t most = 20;
    Box from{}, to{};
    for (std::size_t d = 0; d < 3; ++d) {
      from[d] = std::min(a[d], b[d]);
      to[d] = std::max(a[d], b[d]);
      if (to[d] - from[d] > most) return;
    }
    for (std::int64_t x = from[0]; x <= to[0]; ++x)
      for (std::int64_t y = from[1]; y <= to[1]; ++y) {
        const Entry first{{x, y, from[2]}, 0};
        for (auto at = std::lower_bound(entries_.begin(), entries_.end(), first);
             at != entries_.end() && at->first <= Box{x, y, to[2]}; ++at)
          found(at->second);
      }
  }

 private:
  using Box = std::array<std::int64_t, 3>;
  using Entry = std::pair<Box, GlobalIndex>;

  Box box_of(const Point& x) const {
    Box box{};
    for (std::size_t d = 0; d < 3; ++d)
      box[d] = static_cast<std::int64_t>(std::floor(x[d] / width_));
    return box;
  }

  const RawMesh& mesh_;
  double width_ = 0;
  std::vector<Entry> entries_;
};

/// Whether `v` lies on the straight edge, away from its ends.
bool lies_inside(const RawMesh& mesh, const Edge& edge, GlobalIndex v) {
  constexpr double near = 1e-6;  // of the edge's length
  const Point a = point_of(mesh, edge[0]), b = point_of(mesh, edge[1]), x = point_of(mesh, v);
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

}  // namespace

void warn_of_hanging_nodes(RawMesh& mesh, const std::vector<CellFacet>& boundary) {
  const std::vector<Edge> edges = boundary_edges(mesh, boundary);
  if (edges.empty()) return;
  const VertexGrid grid(mesh, edges);
  std::set<GlobalIndex> hanging;
  Edge example{};
  for (const Edge& edge : edges)
    grid.near(edge, [&](GlobalIndex v) {
      if (std::find(edge.begin(), edge.end(), v) != edge.end()) return;
      if (!lies_inside(mesh, edge, v)) return;
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
