// Finds hanging nodes of a mesh in slices: vertices of the boundary and its facets meet on the
// ranks that a grid of boxes chooses.
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

/// The facets of the boundary with the ids of their nodes.
std::vector<BoundaryFacet> facets_by_id(const OwnCells& cells,
                                        const std::vector<CellFacet>& boundary) {
  std::vector<BoundaryFacet> facets;
  for (const CellFacet& place : boundary) {
    facets.push_back(boundary_facet(cells.mesh, place));
    for (GlobalIndex& node : facets.back().nodes)
      if (node >= 0) node = cells.ids[at(node)];
    for (GlobalIndex& node : facets.back().cell)
      if (node >= 0) node = cells.ids[at(node)];
  }
  return facets;
}

/// The length of an edge of the boundary on average, 0 where there are none. Collective.
double mean_edge(const Comm& comm, const std::vector<BoundaryFacet>& facets) {
  std::array<double, 2> sums{};
  for (const BoundaryFacet& facet : facets) {
    sums[0] += length_of_edges(facet);
    sums[1] += static_cast<double>(edges_of(facet));
  }
  comm.sum(std::span<double>(sums));
  return sums[1] == 0 ? 0 : sums[0] / sums[1];
}

}  // namespace

bool has_hanging_nodes(const Comm& comm, const OwnCells& cells,
                       const std::vector<CellFacet>& boundary) {
  const std::vector<BoundaryFacet> facets = facets_by_id(cells, boundary);
  const double edge = mean_edge(comm, facets);
  if (edge == 0) return false;
  const FacetBoxes boxes(edge);
  const auto home = [&](const FacetBoxes::Box& box) {
    return hash_of(box.data(), 3) % at(comm.size());
  };
  std::vector<std::vector<Vertex>> vertices(at(comm.size()));
  std::vector<std::vector<BoundaryFacet>> visits(at(comm.size()));
  for (const BoundaryFacet& facet : facets) {
    for (std::size_t i = 0; i < facet.n_vertices; ++i)
      vertices[home(boxes.of(facet.x[i]))].push_back({facet.nodes[i], facet.x[i]});
    boxes.for_each_row(facet.points(), [&](FacetBoxes::Box box, const FacetBoxes::Box& last) {
      for (; box[2] <= last[2]; ++box[2])
        if (auto& list = visits[home(box)]; list.empty() || !(list.back() == facet))
          list.push_back(facet);
    });
  }
  const std::vector<Vertex> here = united(comm, std::move(vertices));
  VertexGrid grid(boxes);
  for (std::size_t i = 0; i < here.size(); ++i) grid.add(here[i].x, static_cast<GlobalIndex>(i));
  grid.sort();
  bool found = false;
  for (const auto& part : comm.exchange(std::move(visits)))
    for (const BoundaryFacet& facet : part)
      grid.near(facet, [&](GlobalIndex i) {
        const Vertex& v = here[at(i)];
        found = found || hangs_on(facet, v.id, v.x);
      });
  return comm.any(found);
}

}  // namespace trestle::mesh
