#include "tests/mesh/whole_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mesh/generate.hpp"

namespace trestle::mesh::test {
namespace {

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class T>
std::vector<T> all(const Comm& comm, const std::vector<T>& values) {
  return comm.all_gather(std::span<const T>(values));
}

/// The block with its entries in another order.
RawBlock reordered(const RawBlock& block, const std::vector<std::size_t>& order) {
  RawBlock result{block.type, {}, {}, {}, {}};
  const auto width = static_cast<std::ptrdiff_t>(traits(block.type).n_nodes);
  for (std::size_t e : order) {
    const auto nodes = block.nodes.begin() + static_cast<std::ptrdiff_t>(e) * width;
    result.nodes.insert(result.nodes.end(), nodes, nodes + width);
    if (!block.ids.empty()) result.ids.push_back(block.ids[e]);
    result.tags.push_back(block.tags[e]);
    result.group_set.push_back(block.group_set[e]);
  }
  return result;
}

/// All blocks of each type as one, sorted by tag. Collective.
std::vector<RawBlock> whole_blocks(const Comm& comm, const std::vector<RawBlock>& blocks) {
  std::vector<RawBlock> result;
  std::array<int, n_cell_types> present{};
  for (const RawBlock& block : blocks) present[static_cast<std::size_t>(block.type)] = 1;
  comm.max(std::span<int>(present));
  for (int t = 0; t < n_cell_types; ++t) {
    if (present[at(t)] == 0) continue;
    RawBlock mine{static_cast<CellType>(t), {}, {}, {}, {}};
    for (const RawBlock& block : blocks) {
      if (block.type != mine.type) continue;
      mine.nodes.insert(mine.nodes.end(), block.nodes.begin(), block.nodes.end());
      mine.ids.insert(mine.ids.end(), block.ids.begin(), block.ids.end());
      mine.tags.insert(mine.tags.end(), block.tags.begin(), block.tags.end());
      mine.group_set.insert(mine.group_set.end(), block.group_set.begin(), block.group_set.end());
    }
    const RawBlock joined{mine.type, all(comm, mine.nodes), all(comm, mine.ids),
                          all(comm, mine.tags), all(comm, mine.group_set)};
    if (joined.size() == 0) continue;
    std::vector<std::size_t> order(joined.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t e) { return joined.tags[e]; });
    result.push_back(reordered(joined, order));
  }
  return result;
}

/// Entries of `block` that `take(position)` picks.
template <class Take>
RawBlock picked(const RawBlock& block, const Take& take) {
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < block.size(); ++e)
    if (take(e)) order.push_back(e);
  return reordered(block, order);
}

}  // namespace

const Comm& alone() {
  static const Comm comm(MPI_COMM_SELF);
  return comm;
}

RawMesh whole(const Comm& comm, const RawMesh& mesh) {
  RawMesh result = mesh;
  result.coordinates = all(comm, mesh.coordinates);
  result.node_tags = all(comm, mesh.node_tags);
  result.cells = whole_blocks(comm, mesh.cells);
  result.entities = whole_blocks(comm, mesh.entities);
  return result;
}

RawMesh slice(const Comm& comm, const RawMesh& whole) {
  RawMesh result = whole;
  const Share nodes = share_of(whole.n_nodes, comm.rank(), comm.size());
  const auto first = static_cast<std::ptrdiff_t>(nodes.first);
  const auto last = static_cast<std::ptrdiff_t>(nodes.last);
  const auto x = whole.coordinates.begin();
  result.coordinates.assign(x + 3 * first, x + 3 * last);
  result.node_tags.assign(whole.node_tags.begin() + first, whole.node_tags.begin() + last);
  const Share cells = share_of(whole.n_cells, comm.rank(), comm.size());
  for (RawBlock& block : result.cells)
    block = picked(block, [&](std::size_t c) {
      return block.ids[c] >= cells.first && block.ids[c] < cells.last;
    });
  for (RawBlock& block : result.entities)
    block = picked(block, [&](std::size_t e) {
      return e % at(comm.size()) == static_cast<std::size_t>(comm.rank());
    });
  return result;
}

RawMesh mixed_mesh() {
  RawMesh mesh;
  mesh.coordinates = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0,   1,   0, 0, 0, 1, 1, 0,   1,
                      1, 1, 1, 0, 1, 1, 2, 0, 0, 0.5, 0.5, 2, 2, 1, 0, 2, 0.5, 1.5};
  mesh.n_nodes = 12;
  mesh.node_tags = {101, 102, 103, 104, 105, 106, 107, 108, 110, 109, 111, 112};
  mesh.n_cells = 4;
  mesh.groups = {{"hex", 3, 1},  {"rest", 3, 2}, {"interface", 2, 3}, {"bottom", 2, 4},
                 {"both", 2, 5}, {"edge", 1, 6}, {"tip", 0, 7},       {"nothing", 2, 8}};
  mesh.group_sets = {{}, {0}, {1}, {2}, {2, 4}, {3, 4}, {5}, {6}};
  mesh.cells = {{CellType::tet4, {5, 6, 9, 11}, {0}, {40}, {2}},
                {CellType::hex8, {0, 1, 2, 3, 4, 5, 6, 7}, {3}, {43}, {1}},
                {CellType::prism6, {1, 5, 8, 2, 6, 10}, {1}, {41}, {2}},
                {CellType::pyramid5, {4, 5, 6, 7, 9}, {2}, {42}, {2}}};
  mesh.entities = {
      {CellType::tri3, {5, 6, 9, 9, 6, 5}, {}, {1, 2}, {3, 3}},
      {CellType::quad4, {4, 5, 6, 7, 0, 1, 2, 3, 0, 1, 5, 4}, {}, {3, 4, 5}, {4, 5, 0}},
      {CellType::line2, {0, 1}, {}, {6}, {6}},
      {CellType::point1, {9}, {}, {7}, {7}}};
  return mesh;
}

RawMesh small_box(const Comm& comm, CellType type) {
  BoxOptions box;
  box.cell = type;
  box.origin = {-1, 2, 0.5};
  box.size = {2, 3, 5};
  box.cells = {3, 2, 4};
  return generate_box(comm, box);
}

std::vector<CellType> box_types() {
  std::vector<CellType> types;
  for (int t = 0; t < n_cell_types; ++t)
    if (traits(static_cast<CellType>(t)).dim >= 2) types.push_back(static_cast<CellType>(t));
  return types;
}

double measure_of(CellType type, const std::vector<Point>& x) {
  const CellTraits& cell = traits(type);
  if (cell.dim == 0) return 0;
  if (cell.dim == 1) return std::sqrt(dot(x[1] - x[0], x[1] - x[0]));
  if (cell.dim == 2) {
    Point area = cross(x[1] - x[0], x[2] - x[0]);
    if (cell.n_vertices == 4) area = cross(x[2] - x[0], x[3] - x[1]);
    // In the plane z = const the sign tells an inverted cell.
    return area[0] == 0 && area[1] == 0 ? 0.5 * area[2] : 0.5 * std::sqrt(dot(area, area));
  }
  double volume = 0;  // divergence theorem for x / 3 over plane facets
  for (const SubCell& facet : cell.facets) {
    const Point a = x[facet.nodes[0]], b = x[facet.nodes[1]], c = x[facet.nodes[2]];
    Point area = cross(b - a, c - a);
    if (traits(facet.type).n_vertices == 4) area = cross(c - a, x[facet.nodes[3]] - b);
    volume += dot(area, a) / 6;
  }
  return volume;
}

std::vector<Point> vertices_of(const RawMesh& whole, const RawBlock& block, std::size_t cell) {
  std::vector<Point> x;
  const CellTraits& type = traits(block.type);
  for (int i = 0; i < type.n_vertices; ++i) {
    const auto node = at(block.nodes[cell * at(type.n_nodes) + at(i)]);
    x.push_back({whole.coordinates[3 * node], whole.coordinates[3 * node + 1],
                 whole.coordinates[3 * node + 2]});
  }
  return x;
}

double measure_of(const RawMesh& whole) {
  double sum = 0;
  for (const RawBlock& block : whole.cells)
    for (std::size_t c = 0; c < block.size(); ++c)
      sum += measure_of(block.type, vertices_of(whole, block, c));
  return sum;
}

}  // namespace trestle::mesh::test
