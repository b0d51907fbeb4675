// The steps of is_clean, and what they share.
#pragma once

#include <vector>

#include "core/comm.hpp"
#include "mesh/check_steps.hpp"

namespace trestle::mesh {

/// The things of all ranks that were sent here, each once. Collective.
template <class T>
std::vector<T> united(const Comm& comm, std::vector<std::vector<T>> to) {
  std::vector<T> here;
  for (const auto& part : comm.exchange(std::move(to)))
    here.insert(here.end(), part.begin(), part.end());
  unite(here);
  return here;
}

/// The cells of a slice alone, with the nodes that they use.
struct OwnCells {
  RawMesh mesh;                  // nodes of its cells are numbered from 0; tags of nodes are 0
  std::vector<GlobalIndex> ids;  // [node]: its canonical id
};
/// Collective.
OwnCells make_own_cells(const Comm& comm, const RawMesh& mesh);

/// Whether every node belongs to a cell; and the number of connected parts, -1 where it is not
/// found in some hundred rounds of messages. Collective.
struct NodeUse {
  bool all_used;
  GlobalIndex n_parts;
};
NodeUse find_node_use(const Comm& comm, GlobalIndex n_nodes, const OwnCells& cells);

/// Whether facets of cells meet in pairs, from two sides and with all nodes, whether elements of
/// dimension dim - 1 are facets of cells, each another one, and no triangle meets a quadrilateral;
/// `boundary` becomes the facets of this rank's cells without a neighbour. Collective.
bool facets_match(const Comm& comm, const RawMesh& mesh, std::vector<CellFacet>& boundary);

/// Whether two nodes are nearer than the tolerance of warn_of_parts. Collective.
bool has_coincident_nodes(const Comm& comm, const RawMesh& mesh, const Bounds& bounds);

/// Whether a vertex of the boundary lies inside an edge or a facet of it. Collective.
bool has_hanging_nodes(const Comm& comm, const OwnCells& cells,
                       const std::vector<CellFacet>& boundary);

/// Whether cells overlap without a common facet, or might. Collective.
bool has_overlaps(const Comm& comm, const OwnCells& cells, const Bounds& bounds,
                  const std::vector<CellFacet>& boundary);

}  // namespace trestle::mesh
