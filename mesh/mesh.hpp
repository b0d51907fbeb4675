// Mesh: one rank's part of a partitioned mesh, with one layer of ghost cells.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "core/index_map.hpp"
#include "mesh/raw_mesh.hpp"

namespace trestle::mesh {

/// Cells of one type on one rank, ghosts included, in an order that no partition changes: Hilbert
/// key of the centroid, then canonical id.
struct CellBlock {
  CellType type;
  std::vector<Index> nodes;         // [cell, node]: local nodes
  std::vector<GlobalIndex> ids;     // canonical
  std::vector<std::int64_t> tags;   // in the file
  std::vector<int> group_set;       // index into Mesh::group_sets
  std::vector<std::uint8_t> owned;  // 1: this rank owns the cell, 0: ghost
  Index n_cells() const { return static_cast<Index>(ids.size()); }
};

/// A facet, edge or point of a named group, on every rank that owns one of its nodes.
struct Entity {
  CellType type;
  std::array<Index, 9> nodes;  // local; the first traits(type).n_nodes are used
  std::int64_t tag;            // in the file
  bool owned;  // counted on this rank: the owner of its node with the lowest canonical id
  // For facets: the parent, the touching cell with the lowest canonical id. -1 for edges and
  // points.
  int parent_block = -1;
  Index parent_cell = -1;
  int parent_facet = -1;  // index into traits(parent type).facets
  bool internal = false;  // two cells touch it
};

/// A named group on this rank. For dim == mesh dim, cells carry it by group_set and `entities` is
/// empty.
struct LocalGroup {
  Group group;
  // Those of lower dimension with an owned node, or, of facets, an owned parent; in an order that
  // no partition changes.
  std::vector<Entity> entities;
  std::vector<Index> nodes;  // local nodes (owned and ghost) of its entities or cells, ascending
  GlobalIndex n_global = 0;  // entities or cells on all ranks
};

/// Node ids are canonical; local nodes are the owned ones, then ghosts (IndexMap). Every cell that
/// touches an owned node is here. A node belongs to the rank of its cell with the lowest canonical
/// id.
struct Mesh {
  int dim;
  std::shared_ptr<const IndexMap> nodes;
  std::vector<double> coordinates;      // [local node, 3]  [m]
  std::vector<std::int64_t> node_tags;  // [local node], in the file
  std::vector<CellBlock> cells;         // a block per type of the whole mesh; may be empty
  std::vector<LocalGroup> groups;
  std::vector<std::vector<int>> group_sets;  // lists of indices into groups
  GlobalIndex n_cells_global = 0;
  std::vector<std::string> warnings;

  const Comm& comm() const { return nodes->comm(); }
  /// The group called `name` (or, for a nameless group, its tag as text), of dimension `group_dim`
  /// when it is given (-1: any); null when there is none. The same name may exist in several
  /// dimensions: highest first.
  const LocalGroup* find_group(const std::string& name, int group_dim = -1) const;
  /// Whether the cells of `set` belong to `group` (an index into groups).
  bool set_has_group(int set, int group) const;
};

enum class Partitioner { automatic, scotch, hilbert };

/// Partitions, moves cells to their owners, adds ghosts, finds parents of facets. Collective.
Mesh distribute(const Comm& comm, RawMesh raw, Partitioner partitioner);

/// Adds the nodes of order 2 to a linear mesh (numbered after the others, edges, then faces, then
/// cells, each in the order of sorted vertex ids), or drops the mid nodes of a quadratic one with a
/// warning. `order` is 1 or 2; a mesh that has it already is returned as it is. Collective.
RawMesh with_order(const Comm& comm, RawMesh raw, int order);

}  // namespace trestle::mesh
