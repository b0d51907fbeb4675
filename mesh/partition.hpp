// Partition of cells over ranks: by a space-filling curve, or by PT-Scotch on the dual graph.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/comm.hpp"
#include "mesh/mesh.hpp"

namespace trestle::mesh {

/// The cells of a slice in the order of RawMesh::cells, block by block.
struct CellsToPartition {
  std::vector<std::uint64_t> keys;  // Hilbert key of the centroid
  std::vector<Index> work;          // what a cell costs: its number of nodes
};

/// What Scotch through PETSc can number.
constexpr GlobalIndex max_scotch_cells = std::numeric_limits<Index>::max();

/// The part (a rank) of each cell of this slice. `automatic` takes Scotch for 64 to 100 000 cells
/// per rank and the Hilbert curve elsewhere; with fewer than 64, `scotch` takes the curve too.
/// Collective.
std::vector<int> partition(const Comm& comm, const RawMesh& mesh, const CellsToPartition& cells,
                           Partitioner partitioner);

/// Cuts the curve into pieces of equal work. Works with fewer cells than ranks. Collective.
std::vector<int> partition_hilbert(const Comm& comm, const CellsToPartition& cells);

/// PT-Scotch through PETSc's MatPartitioning, edges of the graph where cells share a facet. The
/// same ranks give the same parts when SCOTCH_PTHREAD_NUMBER=1 is set before PETSc starts. Throws
/// Error(65) beyond max_scotch_cells. Collective.
std::vector<int> partition_scotch(const Comm& comm, const RawMesh& mesh,
                                  const CellsToPartition& cells);

/// Cells that share a facet with each cell of this slice, rows in ascending order of the cells'
/// canonical ids, columns ascending.
struct DualGraph {
  GlobalIndex first_cell;            // canonical id of row 0
  std::vector<Offset> begin;         // [row + 1]
  std::vector<GlobalIndex> columns;  // canonical ids
};

/// Collective.
DualGraph make_dual_graph(const Comm& comm, const RawMesh& mesh);

}  // namespace trestle::mesh
