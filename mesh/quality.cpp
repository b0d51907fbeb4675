// Measures, quality and connected parts of a distributed mesh.
#include "mesh/quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh/reference_map.hpp"
#include "mesh/union_find.hpp"

namespace trestle::mesh {
namespace {

/// The edges of a cell that meet at a vertex, as directions of the reference cell, and the factor
/// that makes the ideal cell's value 1.
struct Corner {
  std::array<Point, 3> directions{};
  double factor = 0;
};

/// det of `dim` directions.
double orientation(const Corner& corner, int dim) {
  return determinant({corner.directions[0], corner.directions[1], corner.directions[2]}, dim);
}

/// sin of the angles of the ideal cell: right angles but in triangles (60 degrees), tetrahedra and
/// the sides of pyramids.
double ideal_factor(CellType linear) {
  switch (linear) {
    case CellType::tri3:
    case CellType::prism6:
      return 2 / std::sqrt(3.0);
    case CellType::tet4:
    case CellType::pyramid5:
      return std::sqrt(2.0);
    default:
      return 1;
  }
}

std::vector<Corner> make_corners(const CellTraits& cell) {
  std::vector<Corner> corners(vertex_points(cell.type).size());
  for (std::size_t v = 0; v < corners.size(); ++v) {
    std::size_t n = 0;
    for (const SubCell& edge : cell.edges) {
      if (edge.nodes[0] != v && edge.nodes[1] != v) continue;
      const Point& from = cell.nodes[v];
      const Point& to = cell.nodes[edge.nodes[0] == v ? edge.nodes[1] : edge.nodes[0]];
      corners[v].directions[n++] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    }
    corners[v].factor = ideal_factor(cell.linear);
    if (orientation(corners[v], cell.dim) < 0)
      std::swap(corners[v].directions[0], corners[v].directions[1]);
  }
  return corners;
}

const std::vector<Corner>& corners_of(CellType type) {
  static const auto tables = [] {
    std::array<std::vector<Corner>, n_cell_types> all;
    for (int t = 0; t < n_cell_types; ++t)
      if (traits(static_cast<CellType>(t)).dim >= 2)
        all[static_cast<std::size_t>(t)] = make_corners(traits(static_cast<CellType>(t)));
    return all;
  }();
  return tables[static_cast<std::size_t>(type)];
}

Point transformed(const Tangents& t, const Point& direction) {
  Point result{};
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t d = 0; d < 3; ++d) result[d] += t[c][d] * direction[c];
  return result;
}

/// Coordinates of the nodes of a cell or entity.
void gather(const Mesh& mesh, const Index* nodes, std::size_t n, std::vector<Point>& x) {
  x.resize(n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t d = 0; d < 3; ++d)
      x[a][d] = mesh.coordinates[3 * static_cast<std::size_t>(nodes[a]) + d];
}

/// Calls visit(block, cell, coordinates of its nodes) for every owned cell.
template <class Visit>
void for_each_owned_cell(const Mesh& mesh, Visit visit) {
  std::vector<Point> x;
  for (const CellBlock& block : mesh.cells) {
    const auto n = static_cast<std::size_t>(traits(block.type).n_nodes);
    for (std::size_t c = 0; c < block.ids.size(); ++c) {
      if (block.owned[c] == 0) continue;
      gather(mesh, block.nodes.data() + c * n, n, x);
      visit(block, c, x.data());
    }
  }
}

double aspect_ratio(const CellTraits& cell, const Point* x) {
  double longest = 0, shortest = std::numeric_limits<double>::max();
  for (const SubCell& edge : cell.edges) {
    const Point &a = x[edge.nodes[0]], &b = x[edge.nodes[1]];
    const double size = length({b[0] - a[0], b[1] - a[1], b[2] - a[2]});
    longest = std::max(longest, size);
    shortest = std::min(shortest, size);
  }
  return longest / shortest;
}

/// Joins the local nodes of every cell; ghosts carry the lowest id of their part from rank to rank
/// until nothing changes.
int count_parts(const Mesh& mesh) {
  const auto n = static_cast<std::size_t>(mesh.nodes->n_local());
  UnionFind local(n);
  for (const CellBlock& block : mesh.cells) {
    const auto width = static_cast<std::size_t>(traits(block.type).n_nodes);
    for (std::size_t k = 0; k < block.nodes.size(); ++k)
      if (k % width != 0) local.join(block.nodes[k - k % width], block.nodes[k]);
  }
  std::vector<GlobalIndex> part(mesh.nodes->ids().begin(), mesh.nodes->ids().end());
  bool changed = true;
  while (changed) {
    const std::vector<GlobalIndex> before = part;
    std::vector<GlobalIndex> lowest(n, std::numeric_limits<GlobalIndex>::max());
    for (std::size_t i = 0; i < n; ++i) {
      GlobalIndex& low = lowest[static_cast<std::size_t>(local.root(static_cast<Index>(i)))];
      low = std::min(low, part[i]);
    }
    for (std::size_t i = 0; i < n; ++i)
      part[i] = lowest[static_cast<std::size_t>(local.root(static_cast<Index>(i)))];
    update_ghosts(*mesh.nodes, std::span<GlobalIndex>(part));
    changed = mesh.comm().any(part != before);
  }
  GlobalIndex parts = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(mesh.nodes->n_owned()); ++i)
    parts += part[i] == mesh.nodes->ids()[i];
  return narrow<int>(mesh.comm().sum(parts));
}

void warn_of_unit(MeshSummary& summary) {
  const double size = summary.box.longest();
  if (size > doubtful_length)
    summary.warnings.push_back(
        fmt::format("the mesh is {:.4g} m long: where its unit is not the metre, set the scale of "
                    "the mesh (1e-3 for millimetres).",
                    size));
}

/// The worst cell over all ranks: the lowest tag where several are as bad.
void find_worst(const Mesh& mesh, double lowest, std::int64_t tag, MeshSummary& summary) {
  summary.min_scaled_jacobian = mesh.comm().min(lowest);
  const bool here = lowest == summary.min_scaled_jacobian;
  summary.worst_cell_tag = mesh.comm().min(here ? tag : std::numeric_limits<std::int64_t>::max());
}

}  // namespace

double Box::longest() const {
  double most = 0;
  for (std::size_t d = 0; d < 3; ++d) most = std::max(most, upper[d] - lower[d]);
  return most;
}

Box bounding_box(const Mesh& mesh) {
  Box box;
  box.lower.fill(std::numeric_limits<double>::max());
  box.upper.fill(std::numeric_limits<double>::lowest());
  for (std::size_t i = 0; i < mesh.coordinates.size(); ++i) {
    box.lower[i % 3] = std::min(box.lower[i % 3], mesh.coordinates[i]);
    box.upper[i % 3] = std::max(box.upper[i % 3], mesh.coordinates[i]);
  }
  mesh.comm().min(std::span<double>(box.lower));
  mesh.comm().max(std::span<double>(box.upper));
  return box;
}

double scaled_jacobian(CellType type, const Point* x) {
  const CellTraits& cell = traits(type);
  const ReferencePoints& at = vertex_points(type);
  const std::vector<Corner>& corners = corners_of(type);
  double lowest = std::numeric_limits<double>::max();
  for (std::size_t v = 0; v < corners.size(); ++v) {
    const Tangents t = tangents(at, v, x);
    Tangents edges{};
    double product = 1;
    for (std::size_t k = 0; k < static_cast<std::size_t>(cell.dim); ++k) {
      edges[k] = transformed(t, corners[v].directions[k]);
      product *= length(edges[k]);
    }
    const double value = product > 0 ? determinant(edges, cell.dim) / product : 0;
    lowest = std::min(lowest, corners[v].factor * value);
  }
  return lowest;
}

MeshSummary summarise(const Mesh& mesh, bool states_scale) {
  const Comm& comm = mesh.comm();
  MeshSummary summary;
  summary.dim = mesh.dim;
  summary.n_nodes = mesh.nodes->n_global();
  summary.warnings = mesh.warnings;
  std::array<GlobalIndex, n_cell_types> counts{};
  double lowest = std::numeric_limits<double>::max();
  std::int64_t worst = std::numeric_limits<std::int64_t>::max();
  for_each_owned_cell(mesh, [&](const CellBlock& block, std::size_t c, const Point* x) {
    ++counts[static_cast<std::size_t>(block.type)];
    summary.measure += measure(block.type, x);
    summary.max_aspect_ratio =
        std::max(summary.max_aspect_ratio, aspect_ratio(traits(block.type), x));
    const double quality = scaled_jacobian(block.type, x);
    if (quality < lowest || (quality == lowest && block.tags[c] < worst)) worst = block.tags[c];
    lowest = std::min(lowest, quality);
  });
  comm.sum(std::span<GlobalIndex>(counts));
  for (int t = 0; t < n_cell_types; ++t)
    if (counts[static_cast<std::size_t>(t)] > 0)
      summary.cells_by_type[std::string(traits(static_cast<CellType>(t)).name)] =
          counts[static_cast<std::size_t>(t)];
  summary.measure = comm.sum(summary.measure);
  summary.max_aspect_ratio = comm.max(summary.max_aspect_ratio);
  find_worst(mesh, lowest, worst, summary);
  summary.box = bounding_box(mesh);
  if (!states_scale) warn_of_unit(summary);
  summary.n_components = count_parts(mesh);
  return summary;
}

std::vector<double> compute_measures(const Mesh& mesh) {
  std::vector<double> measures(mesh.groups.size(), 0);
  for_each_owned_cell(mesh, [&](const CellBlock& block, std::size_t c, const Point* x) {
    const auto& members = mesh.group_sets[static_cast<std::size_t>(block.group_set[c])];
    if (members.empty()) return;
    const double size = measure(block.type, x);
    for (const int g : members) measures[static_cast<std::size_t>(g)] += size;
  });
  std::vector<Point> x;
  for (std::size_t g = 0; g < mesh.groups.size(); ++g)
    for (const Entity& entity : mesh.groups[g].entities) {
      if (!entity.owned || traits(entity.type).dim == 0) continue;
      gather(mesh, entity.nodes.data(), static_cast<std::size_t>(traits(entity.type).n_nodes), x);
      measures[g] += measure(entity.type, x.data());
    }
  mesh.comm().sum(std::span<double>(measures));
  return measures;
}

}  // namespace trestle::mesh
