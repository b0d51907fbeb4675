// Points of results: a (node, region) pair each, where a region is a material.
#pragma once

#include <memory>
#include <vector>

#include "core/index_map.hpp"
#include "fem/discretisation.hpp"
#include "physics/materials.hpp"

namespace trestle::physics {

/// Owned points stand sorted as their owned nodes do, the regions of a node ascending; ghosts are
/// the other points of owned cells, in the same order. Point ids are positions in the results file:
/// by canonical node id, then region.
struct ResultPoints {
  std::shared_ptr<const IndexMap> map;  // ids are point ids
  std::vector<Index> node;              // [local point]: local node
  std::vector<Index> region;            // [local point]
  std::vector<Index> first;             // [local node]: its first local point, -1 for none

  /// The local point of a node in a region of one of its cells here.
  Index point(Index at_node, Index in_region) const {
    Index p = first[static_cast<std::size_t>(at_node)];
    while (region[static_cast<std::size_t>(p)] != in_region) ++p;
    return p;
  }
};

/// Collective.
ResultPoints make_result_points(const mesh::Mesh& mesh, const CellMaterials& materials,
                                int n_regions);

/// What averages over the cells at a point need.
struct PointSlots {
  std::vector<fem::Incidence> rows;  // by block: owned points and the slots that add to each
  std::vector<double> n_slots;       // [owned point]: number of cells that add to it
};

PointSlots make_point_slots(const fem::Discretisation& discretisation,
                            const CellMaterials& materials, const ResultPoints& points);

}  // namespace trestle::physics
