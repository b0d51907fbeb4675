// Points of results: a (node, region) pair each, where a region is a material.
#pragma once

#include <memory>
#include <vector>

#include "core/index_map.hpp"
#include "fem/discretisation.hpp"
#include "physics/materials.hpp"

namespace trestle::physics {

/// Owned points stand sorted as their owned nodes do, the regions of a node ascending; ghosts are
/// the other points of owned cells. Point ids are positions in the results file: by canonical node
/// id, then region.
struct ResultPoints {
  std::shared_ptr<const IndexMap> map;  // ids are point ids
  std::vector<Index> node;              // [local point]: local node
  std::vector<Index> region;            // [local point]
  std::vector<std::vector<Index>>
      cell_points;  // by block: [cell, node] local point, -1 at cells that are not owned
  std::vector<fem::Incidence> rows;  // by block: owned points and the slots that add to each
  std::vector<double> n_slots;       // [owned point]: number of cells that add to it
};

/// Collective.
ResultPoints make_result_points(const fem::Discretisation& discretisation,
                                const CellMaterials& materials, int n_regions);

}  // namespace trestle::physics
