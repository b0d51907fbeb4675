// Matches the facets of all cells by sorting packed keys: refuses faces of three cells, overlapping
// neighbours and facet elements that are no facet of a cell.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/error.hpp"
#include "mesh/check_steps.hpp"

namespace trestle::mesh {
namespace {

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

FacetVertices vertices_of(const GlobalIndex* nodes, const SubCell& facet) {
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

  bool has(const FacetVertices& facet) {
    const auto facets = bucket(facet.nodes[facet.lowest()]);
    const FacetKey wanted = facet.key(0);
    return std::any_of(facets.begin(), facets.end(),
                       [&](const FacetKey& key) { return key.same_facet(wanted); });
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

/// A cell by its number over all blocks.
struct CellPlace {
  const RawBlock* block;
  std::size_t block_index, cell;
  std::int64_t tag() const { return block->tags[cell]; }
};

CellPlace place_of(const RawMesh& mesh, std::uint32_t number) {
  std::size_t left = number, b = 0;
  while (left >= mesh.cells[b].size()) left -= mesh.cells[b++].size();
  return {&mesh.cells[b], b, left};
}

std::string nodes_of(const RawMesh& mesh, Index lowest, const FacetKey& key) {
  std::string text = std::to_string(mesh.node_tags[static_cast<std::size_t>(lowest)]);
  for (const Index node : key.others())
    if (node >= 0) text += fmt::format(", {}", mesh.node_tags[static_cast<std::size_t>(node)]);
  return text;
}

std::vector<std::int64_t> elements_of(const RawMesh& mesh, std::span<const FacetKey> keys) {
  std::vector<std::int64_t> tags;
  for (const FacetKey& key : keys) tags.push_back(place_of(mesh, key.cell()).tag());
  std::sort(tags.begin(), tags.end());
  return tags;
}

/// What is wrong about a facet, "" when nothing is.
std::string fault_of(const RawMesh& mesh, Index lowest, std::span<const FacetKey> keys) {
  if (keys.size() > 2)
    return fmt::format("elements {} share one facet (nodes {}): no more than two cells can",
                       list_of(elements_of(mesh, keys)), nodes_of(mesh, lowest, keys[0]));
  if (keys.size() == 2 && keys[0].side() == keys[1].side())
    return fmt::format(
        "elements {} overlap: both lie on the same side of their common facet (nodes "
        "{})",
        list_of(elements_of(mesh, keys)), nodes_of(mesh, lowest, keys[0]));
  return "";
}

/// The facet of its only cell that `key` stands for.
BoundaryFacet boundary_facet(const RawMesh& mesh, Index lowest, const FacetKey& key) {
  const CellPlace place = place_of(mesh, key.cell());
  const auto facets = traits(place.block->type).facets;
  const GlobalIndex* nodes = place.block->nodes.data() + place.cell * width_of(*place.block);
  for (std::size_t f = 0; f < facets.size(); ++f) {
    const FacetVertices vertices = vertices_of(nodes, facets[f]);
    if (vertices.nodes[vertices.lowest()] == lowest && vertices.key(0).same_facet(key))
      return {static_cast<Index>(place.block_index), static_cast<Index>(place.cell),
              static_cast<int>(f)};
  }
  throw Error(ExitCode::bug, "a facet is missing from its own cell");
}

/// Elements of dimension dim - 1 must be facets of cells: conditions on others would be lost.
void check_facet_elements(const RawMesh& mesh, FacetTable& table) {
  std::vector<std::int64_t> strangers;
  for (const RawBlock& block : mesh.entities) {
    const CellTraits& type = traits(block.type);
    if (type.dim != mesh.dim - 1) continue;
    FacetVertices facet;
    facet.n = static_cast<std::size_t>(type.n_vertices);
    for (std::size_t e = 0; e < block.size(); ++e) {
      for (std::size_t i = 0; i < facet.n; ++i)
        facet.nodes[i] = static_cast<Index>(block.nodes[e * width_of(block) + i]);
      if (!table.has(facet)) strangers.push_back(block.tags[e]);
    }
  }
  if (!strangers.empty())
    throw MeshError(
        fmt::format("{} elements of dimension {} belong to groups but are no facet of a "
                    "cell (elements {}): conditions on them would be lost; mesh the "
                    "boundary together with the body",
                    strangers.size(), mesh.dim - 1, list_of(strangers)));
}

}  // namespace

void check_facets(RawMesh& mesh) {
  FacetTable table(mesh);
  std::vector<std::string> faults;
  std::vector<BoundaryFacet> boundary;
  table.for_each_match([&](Index lowest, std::span<const FacetKey> keys) {
    if (keys.size() == 1) boundary.push_back(boundary_facet(mesh, lowest, keys[0]));
    if (std::string fault = fault_of(mesh, lowest, keys); !fault.empty())
      faults.push_back(std::move(fault));
  });
  if (!faults.empty())
    throw MeshError(faults.size() == 1
                        ? faults[0]
                        : fmt::format("{}; {} facets have such a fault", faults[0], faults.size()));
  check_facet_elements(mesh, table);
  warn_of_hanging_nodes(mesh, boundary);
}

}  // namespace trestle::mesh
