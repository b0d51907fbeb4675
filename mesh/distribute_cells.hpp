// The inner steps of `distribute`: cells on their way from the slices of a RawMesh to their ranks.
#pragma once

#include <vector>

#include "mesh/mesh.hpp"
#include "mesh/node_numbers.hpp"

namespace trestle::mesh {

/// Cells of one type on this rank: n_owned owned ones, then ghosts.
struct CellSet {
  CellType type;
  std::size_t n_owned = 0;
  std::vector<std::uint64_t> keys;  // Hilbert key of the centroid
  std::vector<GlobalIndex> ids;
  std::vector<std::int64_t> tags;
  std::vector<int> group_sets;
  std::vector<Index> nodes;  // [cell, node]: numbers in LocalCells::nodes
  std::size_t size() const { return ids.size(); }
  std::size_t width() const { return static_cast<std::size_t>(traits(type).n_nodes); }
};

/// The cells of this rank with all cells that touch a node it owns.
struct LocalCells {
  std::vector<CellSet> sets;  // one per type of the whole mesh, in the order of CellType
  NodeNumbers nodes;          // every node of these cells
  std::vector<int> owners;    // rank of each of `nodes`
  std::vector<int> home;      // owner of each node of this rank's slice; -1: no cell touches it
};

/// Hilbert keys of the cells of a slice, in the order of its blocks. Throws MeshError for a node
/// id that the mesh does not have. Collective.
std::vector<std::uint64_t> compute_cell_keys(const Comm& comm, const RawMesh& mesh);

/// Moves the cells of `mesh` (which loses them) to the ranks `parts` and adds the ghosts. `parts`
/// is not read on one rank. Collective.
LocalCells move_cells(const Comm& comm, RawMesh& mesh, std::vector<std::uint64_t> keys,
                      const std::vector<int>& parts);

/// The cells of a set by Hilbert key, then canonical id.
std::vector<Index> curve_order(const CellSet& cells);

}  // namespace trestle::mesh
