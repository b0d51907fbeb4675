// What a case needs of host memory, before it is asked for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/case/case.hpp"
#include "mesh/mesh.hpp"

namespace trestle::app {

/// How large a mesh is.
struct MeshCounts {
  int dim = 3;
  double nodes = 0;
  std::map<mesh::CellType, double> cells;
};
/// Of a box that is not made yet, its `order` considered.
MeshCounts counts_of(const mesh::BoxOptions& box, int order);
/// Collective.
MeshCounts counts_of(const mesh::Mesh& mesh);

/// Bytes of all ranks together by item, the least that is needed: what comes of matrices and
/// preconditioner follows from the mean number of neighbours of a node in a large mesh of each cell
/// type; the factors were measured (docs/guide.md).
struct MemoryEstimate {
  struct Item {
    std::string name;
    double bytes;
  };
  std::vector<Item> items;
  double total() const;
  /// What is needed until the mesh is there, and what is still to come then.
  MemoryEstimate until_mesh() const;
  MemoryEstimate beyond_mesh() const;
};
MemoryEstimate estimate_memory(const io::Case& c, const MeshCounts& counts, int n_ranks);

/// Whether every machine of this run leaves what its ranks need. Collective.
bool fits(const Comm& comm, const MemoryEstimate& estimate);

/// Throws Error(71), with the numbers, where a machine of this run leaves less than its ranks need.
/// Collective.
void require_memory(const Comm& comm, const MemoryEstimate& estimate);

/// "12.3 GB".
std::string text_of_bytes(double bytes);

}  // namespace trestle::app
