// Finds hanging nodes of a mesh in slices: vertices of the boundary and its edges meet on the ranks
// that a grid of boxes chooses.
#include "mesh/check_hanging.hpp"
#include "mesh/check_slices_steps.hpp"

namespace trestle::mesh {
namespace {

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

struct Vertex {
  GlobalIndex id;
  Point x;
  bool operator<(const Vertex& b) const { return id < b.id; }
  bool operator==(const Vertex& b) const { return id == b.id; }
};

struct StraightEdge {
  Edge nodes;
  Point a, b;
  bool operator<(const StraightEdge& other) const { return nodes < other.nodes; }
  bool operator==(const StraightEdge& other) const { return nodes == other.nodes; }
};

/// The edges of the boundary, each on one rank. Collective.
std::vector<StraightEdge> collect_edges(const Comm& comm, const OwnCells& cells,
                                        const std::vector<CellFacet>& boundary) {
  std::vector<std::vector<StraightEdge>> to(at(comm.size()));
  for (const Edge& edge : boundary_edges(cells.mesh, boundary)) {
    StraightEdge one{{cells.ids[at(edge[0])], cells.ids[at(edge[1])], -1},
                     point_of(cells.mesh, edge[0]),
                     point_of(cells.mesh, edge[1])};
    if (edge[2] >= 0) one.nodes[2] = cells.ids[at(edge[2])];
    if (one.nodes[0] > one.nodes[1]) {
      std::swap(one.nodes[0], one.nodes[1]);
      std::swap(one.a, one.b);
    }
    to[hash_of(one.nodes.data(), 2) % to.size()].push_back(one);
  }
  return united(comm, std::move(to));
}

}  // namespace

bool has_hanging_nodes(const Comm& comm, const OwnCells& cells,
                       const std::vector<CellFacet>& boundary) {
  const std::vector<StraightEdge> edges = collect_edges(comm, cells, boundary);
  std::array<double, 2> sums{0, static_cast<double>(edges.size())};
  for (const StraightEdge& edge : edges) sums[0] += distance(edge.a, edge.b);
  comm.sum(std::span<double>(sums));
  if (sums[1] == 0) return false;
  const EdgeBoxes boxes(sums[0] / sums[1]);
  const auto home = [&](const EdgeBoxes::Box& box) {
    return hash_of(box.data(), 3) % at(comm.size());
  };
  std::vector<std::vector<Vertex>> vertices(at(comm.size()));
  std::vector<std::vector<StraightEdge>> visits(at(comm.size()));
  for (const StraightEdge& edge : edges) {
    vertices[home(boxes.of(edge.a))].push_back({edge.nodes[0], edge.a});
    vertices[home(boxes.of(edge.b))].push_back({edge.nodes[1], edge.b});
    boxes.for_each_row(edge.a, edge.b, [&](EdgeBoxes::Box box, const EdgeBoxes::Box& last) {
      for (; box[2] <= last[2]; ++box[2]) visits[home(box)].push_back(edge);
    });
  }
  for (auto& list : visits) unite(list);
  const std::vector<Vertex> here = united(comm, std::move(vertices));
  VertexGrid grid(boxes);
  for (std::size_t i = 0; i < here.size(); ++i) grid.add(here[i].x, static_cast<GlobalIndex>(i));
  grid.sort();
  bool found = false;
  for (const StraightEdge& edge : united(comm, std::move(visits)))
    grid.near(edge.a, edge.b, [&](GlobalIndex i) {
      const Vertex& v = here[at(i)];
      const bool own = std::find(edge.nodes.begin(), edge.nodes.end(), v.id) != edge.nodes.end();
      found = found || (!own && lies_inside(edge.a, edge.b, v.x));
    });
  return comm.any(found);
}

}  // namespace trestle::mesh
