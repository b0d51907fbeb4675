// Checks how cells meet: refuses facets of three cells, overlapping neighbours, facets whose mid
// nodes differ, and facet elements that are no facet of a cell.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/number.hpp"
#include "mesh/check_facet_table.hpp"

namespace trestle::mesh {
namespace {

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

/// The facet of its cell that `key` stands for.
CellFacet facet_of(const RawMesh& mesh, Index lowest, const FacetKey& key) {
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

/// All nodes of a facet, ascending, -1 before them where there are fewer than 9.
std::array<GlobalIndex, 9> sorted_nodes(const RawMesh& mesh, const CellFacet& at) {
  const RawBlock& block = mesh.cells[static_cast<std::size_t>(at.block)];
  const SubCell& facet = traits(block.type).facets[static_cast<std::size_t>(at.facet)];
  const std::size_t first = static_cast<std::size_t>(at.cell) * width_of(block);
  std::array<GlobalIndex, 9> nodes;
  nodes.fill(-1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(traits(facet.type).n_nodes); ++i)
    nodes[i] = block.nodes[first + facet.nodes[i]];
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// Finds what is wrong about the facets of a mesh.
class FacetFaults {
 public:
  explicit FacetFaults(const RawMesh& mesh)
      : mesh_(mesh),
        has_mid_nodes_(std::any_of(mesh.cells.begin(), mesh.cells.end(), [](const RawBlock& block) {
          return traits(block.type).order == 2;
        })) {}

  /// "" when nothing is.
  std::string of(Index lowest, std::span<const FacetKey> keys) const {
    if (keys.size() == 1) return "";
    const auto elements = [&] { return list_of(elements_of(mesh_, keys)); };
    const auto nodes = [&] { return nodes_of(mesh_, lowest, keys[0]); };
    if (keys.size() > 2)
      return fmt::format("elements {} share one facet (nodes {}): no more than two cells can",
                         elements(), nodes());
    if (keys[0].side() == keys[1].side())
      return fmt::format(
          "elements {} overlap: both lie on the same side of their common facet "
          "(nodes {})",
          elements(), nodes());
    if (has_mid_nodes_ && sorted_nodes(mesh_, facet_of(mesh_, lowest, keys[0])) !=
                              sorted_nodes(mesh_, facet_of(mesh_, lowest, keys[1])))
      return fmt::format(
          "elements {} share the vertices of a facet (nodes {}) but not its mid "
          "nodes: mesh both with the same order",
          elements(), nodes());
    return "";
  }

 private:
  const RawMesh& mesh_;
  bool has_mid_nodes_;
};

/// Whether an element of dimension dim - 1 is a facet of a cell with all its nodes.
bool is_facet(const RawMesh& mesh, FacetTable& table, const RawBlock& block, std::size_t e) {
  const std::size_t n = width_of(block);
  FacetVertices vertices;
  vertices.n = static_cast<std::size_t>(traits(block.type).n_vertices);
  for (std::size_t i = 0; i < vertices.n; ++i)
    vertices.nodes[i] = static_cast<Index>(block.nodes[e * n + i]);
  const auto keys = table.find_all(vertices);
  if (keys.empty()) return false;
  std::array<GlobalIndex, 9> nodes;
  nodes.fill(-1);
  std::copy_n(block.nodes.begin() + static_cast<std::ptrdiff_t>(e * n), n, nodes.begin());
  std::sort(nodes.begin(), nodes.end());
  return nodes == sorted_nodes(mesh, facet_of(mesh, vertices.nodes[vertices.lowest()], keys[0]));
}

/// Conditions on elements that are no facet of a cell would be lost.
void check_facet_elements(const RawMesh& mesh, FacetTable& table) {
  std::vector<std::int64_t> strangers;
  for (const RawBlock& block : mesh.entities)
    for (std::size_t e = 0; e < block.size() && traits(block.type).dim == mesh.dim - 1; ++e)
      if (!is_facet(mesh, table, block, e)) strangers.push_back(block.tags[e]);
  if (!strangers.empty())
    throw MeshError(
        fmt::format("{} elements of dimension {} belong to groups but are no facet of a "
                    "cell (elements {}): conditions on them would be lost; mesh the "
                    "boundary together with the body",
                    strangers.size(), mesh.dim - 1, list_of(strangers)));
}

/// On which side of the plane of a triangle a cell lies: the sign.
double side_of(const RawMesh& mesh, const FacetVertices& triangle, const CellPlace& cell) {
  const Point a = point_of(mesh, triangle.nodes[0]), b = point_of(mesh, triangle.nodes[1]),
              c = point_of(mesh, triangle.nodes[2]);
  const auto n_vertices = static_cast<std::size_t>(traits(cell.block->type).n_vertices);
  Tangents edges{};  // two of the triangle, and from its first vertex to the middle of the cell
  for (std::size_t d = 0; d < 3; ++d) {
    edges[0][d] = b[d] - a[d];
    edges[1][d] = c[d] - a[d];
    for (std::size_t i = 0; i < n_vertices; ++i)
      edges[2][d] +=
          point_of(mesh, cell.block->nodes[cell.cell * width_of(*cell.block) + i])[d] - a[d];
  }
  return determinant(edges, 3);
}

/// The triangles on three of the vertices of a quadrilateral.
std::array<FacetVertices, 4> corners_of(const FacetVertices& quadrilateral) {
  std::array<FacetVertices, 4> corners;
  for (std::size_t left_out = 0; left_out < 4; ++left_out)
    for (std::size_t i = 0; i < 4; ++i)
      if (i != left_out) corners[left_out].nodes[corners[left_out].n++] = quadrilateral.nodes[i];
  return corners;
}

/// Where quadrilaterals have three vertices in common with a triangle of another cell, both cells
/// overlap, or lie on both sides and nothing ties them together.
void check_quadrilaterals(RawMesh& mesh, FacetTable& table) {
  std::vector<std::int64_t> split;
  std::uint32_t number = 0;
  for (const RawBlock& block : mesh.cells)
    for (std::size_t e = 0; e < block.size(); ++e, ++number)
      for (const SubCell& facet : traits(block.type).facets) {
        const FacetVertices quad = vertices_of(block.nodes.data() + e * width_of(block), facet);
        if (quad.n != 4) continue;
        for (const FacetVertices& corner : corners_of(quad))
          for (const FacetKey& key : table.find_all(corner)) {
            const CellPlace own = place_of(mesh, number), other = place_of(mesh, key.cell());
            if (side_of(mesh, corner, own) * side_of(mesh, corner, other) > 0)
              throw MeshError(fmt::format(
                  "elements {}, {} overlap: both lie on the same side of nodes {}, which are on a "
                  "quadrilateral of one and a triangle of the other",
                  own.tag(), other.tag(), nodes_of(mesh, corner.nodes[corner.lowest()], key)));
            split.push_back(own.tag());
          }
      }
  unite(split);
  if (!split.empty())
    mesh.warnings.push_back(
        fmt::format("Quadrilateral facets of {} meet triangles of their neighbours (elements {}): "
                    "the field may "
                    "gape there; put pyramids between.",
                    counted(static_cast<std::int64_t>(split.size()), "cell"), list_of(split)));
}

}  // namespace

void check_facets(RawMesh& mesh) {
  FacetTable table(mesh);
  const FacetFaults faults(mesh);
  std::vector<std::string> found;
  std::vector<CellFacet> boundary;
  table.for_each_match([&](Index lowest, std::span<const FacetKey> keys) {
    if (keys.size() == 1) boundary.push_back(facet_of(mesh, lowest, keys[0]));
    if (std::string fault = faults.of(lowest, keys); !fault.empty())
      found.push_back(std::move(fault));
  });
  if (!found.empty())
    throw MeshError(found.size() == 1
                        ? found[0]
                        : fmt::format("{}; {} facets have such a fault", found[0], found.size()));
  check_facet_elements(mesh, table);
  check_quadrilaterals(mesh, table);
  check_overlaps(mesh, boundary);
  warn_of_hanging_nodes(mesh, boundary);
}

}  // namespace trestle::mesh
