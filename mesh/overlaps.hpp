// Overlaps: finds cells that overlap without a common facet.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "mesh/box_tree.hpp"
#include "mesh/common_ball.hpp"

namespace trestle::mesh {

/// A cell of the boundary.
struct BoundaryCell {
  Solid solid;
  unsigned facets;  // a bit for each without a neighbour
};
/// The box around these facets, a little wider.
Bounds box_of(const BoundaryCell& cell);

/// The cells of the facets `boundary`, each once.
std::vector<BoundaryCell> boundary_cells(const RawMesh& mesh, std::vector<CellFacet> boundary);

/// Two cells that overlap.
struct Overlap {
  std::array<std::int64_t, 2> tags;  // ascending
  Ball ball;                         // the largest that lies in both
  double depth;                      // its radius, relative to that of the largest in the smaller
};
/// Overlaps that are less deep are not told from touching: coordinates of six digits move facets
/// of a thousandth part of a mesh by so much.
constexpr double least_depth = 0.01;

/// The box around the vertices of a cell.
Bounds box_of(const RawMesh& mesh, const RawBlock& block, std::size_t cell);

/// Calls found(overlap) for the cells of `mesh` that overlap one of `boundary`, until it returns
/// false; a pair may come several times. Where facets of cells have been matched, the number of
/// cells over a point changes at facets without a neighbour only. So where it is two, one of the
/// cells there has such a facet, and the other lies on it: on both sides, or behind it with a facet
/// of its own in its plane. No other cells are compared. False where it gave up, as cells lie
/// over each other's boxes by the hundred.
[[nodiscard]] bool find_overlaps(const RawMesh& mesh, const std::vector<BoundaryCell>& boundary,
                                 const std::function<bool(const Overlap&)>& found);

}  // namespace trestle::mesh
