// RawMesh: a mesh as a file or a generator gives it, cut into slices by canonical id, before it is
// partitioned.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "mesh/cell_type.hpp"

namespace trestle::mesh {

/// A named group of entities of one dimension. (dim, tag) is the key in the file; names may be
/// empty.
struct Group {
  std::string name;
  int dim;
  int tag;
  /// What a case calls it: its name, or its tag where it has none.
  std::string called() const { return name.empty() ? std::to_string(tag) : name; }
};

/// Entities of one type on one rank. Each belongs to the groups of `group_sets[group_set]`.
struct RawBlock {
  CellType type;
  std::vector<GlobalIndex> nodes;  // [entity, node]: canonical node ids
  std::vector<GlobalIndex>
      ids;  // canonical ids, for cells only: ascending, distinct over all blocks and ranks
  std::vector<std::int64_t>
      tags;  // ids in the file, for messages and output; canonical id + 1 where generated
  std::vector<int> group_set;  // index into RawMesh::group_sets
  std::size_t size() const { return group_set.size(); }
};

/// One rank's slice. Nodes [first_node, first_node + n) and the cells of a contiguous range of
/// canonical ids; entities of lower dimension anywhere, each on one rank. `groups`, `group_sets`,
/// `dim` and `warnings` are the same on all ranks.
struct RawMesh {
  int dim = 3;
  std::vector<Group> groups;
  std::vector<std::vector<int>>
      group_sets;                       // each a sorted list of indices into groups; set 0 is empty
  GlobalIndex n_nodes = 0;              // of all ranks: share_of(n_nodes, rank, size) are here
  GlobalIndex n_cells = 0;              // of all ranks
  std::vector<double> coordinates;      // [node of this slice, 3]  [m]
  std::vector<std::int64_t> node_tags;  // ids in the file
  std::vector<RawBlock> cells;          // of dimension dim
  std::vector<RawBlock> entities;       // of lower dimension: facets, edges, points (point1)
  std::vector<std::string> warnings;    // one sentence each
};

}  // namespace trestle::mesh
