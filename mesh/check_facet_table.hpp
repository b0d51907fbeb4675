// FacetTable: the facets of all cells of a whole mesh, matched by sorting packed keys.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "mesh/check_steps.hpp"

namespace trestle::mesh {

/// A facet of a cell without its lowest vertex, packed to be compared at once: the others ascending
/// (all bits set where there are fewer), then 2 * cell + the side it lies on.
struct FacetKey {
  std::uint64_t first_two;
  std::uint64_t third_and_cell;

  std::uint32_t cell() const { return static_cast<std::uint32_t>(third_and_cell) / 2; }
  bool side() const { return (third_and_cell & 1) != 0; }
  bool same_facet(const FacetKey& b) const {
    return first_two == b.first_two && third_and_cell >> 32 == b.third_and_cell >> 32;
  }
  bool operator<(const FacetKey& b) const {
    return first_two != b.first_two ? first_two < b.first_two : third_and_cell < b.third_and_cell;
  }
  /// The vertices but the lowest, -1 where there are fewer.
  std::array<Index, 3> others() const {
    return {static_cast<Index>(first_two >> 32), static_cast<Index>(first_two),
            static_cast<Index>(third_and_cell >> 32)};
  }
};

/// Vertices of a facet in cyclic order.
struct FacetVertices {
  std::array<Index, 4> nodes{};
  std::size_t n = 0;

  std::size_t lowest() const {
    return static_cast<std::size_t>(std::min_element(nodes.begin(), nodes.begin() + n) -
                                    nodes.begin());
  }
  /// Which way round the facet is listed: the same for all rotations, the other for its mirror
  /// image.
  bool side() const {
    const std::size_t low = lowest();
    if (n == 2) return low == 0;
    return after(low, 1) < after(low, n - 1);
  }
  /// The node `i` < n places behind `place`, round the facet.
  Index after(std::size_t place, std::size_t i) const {
    const std::size_t at = place + i;
    return nodes[at < n ? at : at - n];
  }
  FacetKey key(std::uint32_t cell) const {
    const std::size_t low = lowest();
    std::array<std::uint32_t, 3> others;
    others.fill(~0U);
    for (std::size_t i = 1; i < n; ++i) {  // insertion, ascending
      const auto node = static_cast<std::uint32_t>(after(low, i));
      std::size_t k = i - 1;
      for (; k > 0 && others[k - 1] > node; --k) others[k] = others[k - 1];
      others[k] = node;
    }
    return {static_cast<std::uint64_t>(others[0]) << 32 | others[1],
            static_cast<std::uint64_t>(others[2]) << 32 | (2 * cell + (side() ? 1U : 0U))};
  }
};

inline FacetVertices vertices_of(const GlobalIndex* nodes, const SubCell& facet) {
  FacetVertices vertices;
  vertices.n = static_cast<std::size_t>(traits(facet.type).n_vertices);
  for (std::size_t i = 0; i < vertices.n; ++i)
    vertices.nodes[i] = static_cast<Index>(nodes[facet.nodes[i]]);
  return vertices;
}

/// All facets of all cells, in a bucket per lowest vertex, sorted in it.
class FacetTable {
 public:
  explicit FacetTable(const RawMesh& mesh) : mesh_(mesh) {
    begin_.assign(static_cast<std::size_t>(mesh.n_nodes) + 1, 0);
    for_each_facet([&](std::uint32_t, const FacetVertices& facet) {
      ++begin_[static_cast<std::size_t>(facet.nodes[facet.lowest()]) + 1];
    });
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    keys_.resize(static_cast<std::size_t>(begin_.back()));
    std::vector<Offset> next(begin_.begin(), begin_.end() - 1);
    for_each_facet([&](std::uint32_t cell, const FacetVertices& facet) {
      const auto low = static_cast<std::size_t>(facet.nodes[facet.lowest()]);
      keys_[static_cast<std::size_t>(next[low]++)] = facet.key(cell);
    });
    for (Index v = 0; v < static_cast<Index>(mesh.n_nodes); ++v)
      std::sort(bucket(v).begin(), bucket(v).end());
  }

  /// Facets whose lowest vertex is `v`.
  std::span<FacetKey> bucket(Index v) {
    const auto i = static_cast<std::size_t>(v);
    return std::span(keys_).subspan(static_cast<std::size_t>(begin_[i]),
                                    static_cast<std::size_t>(begin_[i + 1] - begin_[i]));
  }

  /// The keys of that facet in all cells that have it.
  std::span<const FacetKey> find_all(const FacetVertices& facet) {
    const auto facets = bucket(facet.nodes[facet.lowest()]);
    const FacetKey wanted = facet.key(0);
    const auto is_it = [&](const FacetKey& key) { return key.same_facet(wanted); };
    const auto first = std::find_if(facets.begin(), facets.end(), is_it);
    return {first, std::find_if_not(first, facets.end(), is_it)};
  }

  /// Calls found(lowest vertex, the keys of one facet) for every facet.
  template <class Found>
  void for_each_match(Found found) {
    for (Index v = 0; v < static_cast<Index>(mesh_.n_nodes); ++v) {
      const auto facets = bucket(v);
      for (std::size_t first = 0, end = 0; first < facets.size(); first = end) {
        while (end < facets.size() && facets[end].same_facet(facets[first])) ++end;
        found(v, facets.subspan(first, end - first));
      }
    }
  }

 private:
  template <class Do>
  void for_each_facet(Do action) const {
    std::uint32_t cell = 0;
    for (const RawBlock& block : mesh_.cells)
      for (std::size_t e = 0; e < block.size(); ++e, ++cell)
        for (const SubCell& facet : traits(block.type).facets)
          action(cell, vertices_of(block.nodes.data() + e * width_of(block), facet));
  }

  const RawMesh& mesh_;
  std::vector<Offset> begin_;   // [node + 1]
  std::vector<FacetKey> keys_;  // [facet of a cell]
};

}  // namespace trestle::mesh
