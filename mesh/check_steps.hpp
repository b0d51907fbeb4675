// The steps of check_and_mend, and what they share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "mesh/hilbert.hpp"
#include "mesh/raw_mesh.hpp"
#include "mesh/reference_map.hpp"

namespace trestle::mesh {

/// "17, 18, 20, 21, 22 and 12 more".
std::string list_of(const std::vector<std::int64_t>& ids);
/// "(0.5, 0, 0)".
std::string text_of(const Point& x);

/// Coordinates of node `i`.
inline Point point_of(const RawMesh& mesh, GlobalIndex i) {
  const auto at = 3 * static_cast<std::size_t>(i);
  return {mesh.coordinates[at], mesh.coordinates[at + 1], mesh.coordinates[at + 2]};
}

/// "3 connected components".
std::string text_of_parts(GlobalIndex n_parts);

/// Length of the diagonal of the box around all nodes [m].
double diagonal(const RawMesh& mesh);
double diagonal(const Bounds& bounds);

/// The same for any order of the nodes [finaliser of MurmurHash3, summed].
std::uint64_t hash_of(const GlobalIndex* nodes, std::size_t n, std::uint64_t seed = 0);

inline std::size_t width_of(const RawBlock& block) {
  return static_cast<std::size_t>(traits(block.type).n_nodes);
}

/// The node that occurs twice among the `n` of a cell, or -1.
GlobalIndex repeated_node(const GlobalIndex* nodes, std::size_t n);

/// Sorts a list of things, of which each stays once.
template <class T>
void unite(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Keeps the entities e with keep[e] != 0, in order.
void keep_entities(RawBlock& block, const std::vector<std::uint8_t>& keep);
/// Gives node i the number new_index[i]; nodes with -1 vanish: no element may use them. Numbers
/// must ascend.
void renumber_nodes(RawMesh& mesh, const std::vector<Index>& new_index);

void merge_coincident_nodes(RawMesh& mesh, double relative_tolerance);
void merge_duplicates(RawMesh& mesh);
void drop_orphans(RawMesh& mesh);
void check_plane(const RawMesh& mesh);
void check_jacobians(RawMesh& mesh);
void check_facets(RawMesh& mesh);
void warn_of_parts(RawMesh& mesh);

/// A facet of a cell.
struct CellFacet {
  Index block, cell;
  int facet;  // of the cell
};
void warn_of_hanging_nodes(RawMesh& mesh, const std::vector<CellFacet>& boundary);
/// Refuses cells that overlap without a common facet, and warns of those that overlap by no more
/// than the error of flat facets on a curved boundary.
void check_overlaps(RawMesh& mesh, const std::vector<CellFacet>& boundary);

}  // namespace trestle::mesh
