// A tree of boxes finds candidate cells; Newton's method inverts their maps.
#include "fem/cells/cell_locator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fem/cells/element.hpp"
#include "fem/cells/reference_cell.hpp"

namespace trestle::fem {
namespace {

using mesh::CellBlock;
using mesh::CellType;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Nodes of one cell in space.
struct CellMap {
  CellType type;
  std::size_t n_nodes;
  Vec3 nodes[mesh::max_nodes_per_cell];

  /// Position of xi, and the derivatives of the position as columns of `jacobian`.
  Vec3 position(const std::array<double, 3>& xi, Mat3& jacobian) const {
    double N[mesh::max_nodes_per_cell], dN[3 * mesh::max_nodes_per_cell];
    shape_functions(type, xi.data(), N, dN);
    Vec3 x{};
    jacobian = {};
    for (std::size_t a = 0; a < n_nodes; ++a) {
      x += N[a] * nodes[a];
      jacobian += outer(nodes[a], {{dN[3 * a], dN[3 * a + 1], dN[3 * a + 2]}});
    }
    return x;
  }
};

/// Fills the columns that a cell of dimension `dim` < 3 has not with normals of the cell, of the
/// size of the other columns: the inverse then projects onto the cell.
void complete(Mat3& jacobian, int dim) {
  const auto column = [&](int j) { return Vec3{{jacobian(0, j), jacobian(1, j), jacobian(2, j)}}; };
  const auto set = [&](int j, const Vec3& v) {
    for (int i = 0; i < 3; ++i) jacobian(i, j) = v[i];
  };
  if (dim == 1) {
    const Vec3 t = column(0);
    const Vec3 other = std::fabs(t[0]) < std::fabs(t[1]) ? Vec3{{1, 0, 0}} : Vec3{{0, 1, 0}};
    const Vec3 n = cross(t, other);
    set(1, (norm(t) / norm(n)) * n);
  }
  if (dim <= 2) {
    const Vec3 n = cross(column(0), column(1));
    set(2, (1 / std::sqrt(norm(n))) * n);
  }
}

/// Newton's method from `xi`, every step held inside the reference cell. Ends at the point's
/// coordinates or where it gets stuck; returns the distance from x that is left.
double newton(const CellMap& map, const Vec3& x, std::array<double, 3>& xi) {
  constexpr int max_steps = 30;
  constexpr double small_step = 1e-13;  // convergence is quadratic: the next one would be round-off
  const int dim = mesh::traits(map.type).dim;
  Mat3 jacobian;
  for (int step = 0; step < max_steps; ++step) {
    const Vec3 residual = x - map.position(xi, jacobian);
    complete(jacobian, dim);
    const Vec3 change = inverse(jacobian) * residual;
    auto next = xi;
    for (int d = 0; d < dim; ++d) next[static_cast<std::size_t>(d)] += change[d];
    if (!std::isfinite(next[0] + next[1] + next[2])) break;
    next = clamp_to_cell(map.type, next);
    double moved = 0;
    for (std::size_t d = 0; d < 3; ++d) moved = std::max(moved, std::abs(next[d] - xi[d]));
    xi = next;
    if (moved <= small_step) break;
  }
  return norm(x - map.position(xi, jacobian));
}

}  // namespace

void CellLocator::Box::include(const Box& other) {
  for (int d = 0; d < 3; ++d) {
    lower[d] = std::min(lower[d], other.lower[d]);
    upper[d] = std::max(upper[d], other.upper[d]);
  }
}

bool CellLocator::Box::contains(const Vec3& x) const {
  bool inside = true;  // NaN is not inside
  for (int d = 0; d < 3; ++d) inside = inside && x[d] >= lower[d] && x[d] <= upper[d];
  return inside;
}

CellLocator::CellLocator(const mesh::Mesh& mesh, int group) : mesh_(&mesh), group_(group) {
  std::array<double, 6> extent;  // lower, then upper negated
  extent.fill(infinity);
  for (std::size_t i = 0; i < mesh.coordinates.size(); ++i) {
    extent[i % 3] = std::min(extent[i % 3], mesh.coordinates[i]);
    extent[3 + i % 3] = std::min(extent[3 + i % 3], -mesh.coordinates[i]);
  }
  mesh.comm().min(std::span<double>(extent));
  Vec3 diagonal{};
  double largest = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    diagonal[static_cast<int>(d)] = -extent[3 + d] - extent[d];
    largest = std::max({largest, std::abs(extent[d]), std::abs(extent[3 + d])});
  }
  constexpr double roundings = 16 * std::numeric_limits<double>::epsilon();
  tolerance_ = std::max(1e-10 * norm(diagonal), roundings * largest);
  if (mesh.dim == 2 && extent[2] < infinity) {
    plane_ = (extent[2] - extent[5]) / 2;
    round_off_ = std::max(1e-6 * norm(diagonal), tolerance_);
  }
  for (const CellBlock& block : mesh.cells) trees_.push_back(make_tree(block));
}

Vec3 CellLocator::node(const CellBlock& block, Index cell, std::size_t a) const {
  const auto n = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
  const auto i = static_cast<std::size_t>(block.nodes[static_cast<std::size_t>(cell) * n + a]);
  return {{mesh_->coordinates[3 * i], mesh_->coordinates[3 * i + 1],
           mesh_->dim == 2 ? plane_ : mesh_->coordinates[3 * i + 2]}};
}

/// The offsets of the mid nodes from the linear cell, absolute, summed up: 0 for a straight cell.
Vec3 CellLocator::bend_of(const CellBlock& block, Index cell) const {
  const auto& t = mesh::traits(block.type);
  const auto n_vertices = static_cast<std::size_t>(t.n_vertices);
  double N[8];
  Vec3 bend{};
  for (std::size_t a = n_vertices; a < t.nodes.size(); ++a) {
    Vec3 offset = node(block, cell, a);
    shape_functions(t.linear, t.nodes[a].data(), N, nullptr);
    for (std::size_t v = 0; v < n_vertices; ++v) offset -= N[v] * node(block, cell, v);
    for (int d = 0; d < 3; ++d) bend[d] += std::abs(offset[d]);
  }
  return bend;
}

/// The vertices' box holds the linear cell; curving adds the mid nodes' offsets times their shape
/// functions, which are at most 1.
CellLocator::Box CellLocator::box_of(const CellBlock& block, Index cell) const {
  Box box{{{infinity, infinity, infinity}}, {{-infinity, -infinity, -infinity}}};
  const auto n_vertices = static_cast<std::size_t>(mesh::traits(block.type).n_vertices);
  for (std::size_t v = 0; v < n_vertices; ++v) {
    const Vec3 vertex = node(block, cell, v);
    box.include({vertex, vertex});
  }
  const Vec3 margin = bend_of(block, cell) + Vec3{{tolerance_, tolerance_, tolerance_}};
  return {box.lower - margin, box.upper + margin};
}

bool CellLocator::takes(const CellBlock& block, Index cell) const {
  return group_ < 0 ||
         mesh_->set_has_group(block.group_set[static_cast<std::size_t>(cell)], group_);
}

CellLocator::Tree CellLocator::make_tree(const CellBlock& block) const {
  const Box nothing{{{infinity, infinity, infinity}}, {{-infinity, -infinity, -infinity}}};
  Tree tree;
  auto& leaves = tree.levels.emplace_back((block.ids.size() + fan - 1) / fan, nothing);
  for (Index c = 0; c < block.n_cells(); ++c)
    if (takes(block, c)) leaves[static_cast<std::size_t>(c) / fan].include(box_of(block, c));
  while (tree.levels.back().size() > fan) {
    const auto& below = tree.levels.back();
    std::vector<Box> above((below.size() + fan - 1) / fan, nothing);
    for (std::size_t i = 0; i < below.size(); ++i) above[i / fan].include(below[i]);
    tree.levels.push_back(std::move(above));
  }
  return tree;
}

void CellLocator::collect(const CellBlock& block, const Tree& tree, const Vec3& x,
                          std::vector<Index>& cells) const {
  std::vector<std::size_t> open(tree.levels.back().size());
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  for (std::size_t level = tree.levels.size(); level-- > 0;) {
    const auto& boxes = tree.levels[level];
    const std::size_t n_below = level > 0 ? tree.levels[level - 1].size() : block.ids.size();
    std::vector<std::size_t> below;
    for (std::size_t i : open)
      if (boxes[i].contains(x))
        for (std::size_t k = i * fan; k < std::min((i + 1) * fan, n_below); ++k) below.push_back(k);
    open.swap(below);
  }
  for (std::size_t c : open) {
    const auto cell = static_cast<Index>(c);
    if (takes(block, cell) && box_of(block, cell).contains(x)) cells.push_back(cell);
  }
}

/// Starts from the middle of the cell, which nearly always leads to the point, then from the
/// nearest node; for a curved cell, whose map may mislead both, from every node.
bool CellLocator::invert(const CellBlock& block, Index cell, const Vec3& x,
                         std::array<double, 3>& xi) const {
  const auto& t = mesh::traits(block.type);
  CellMap map{block.type, t.nodes.size(), {}};
  std::vector<std::pair<double, std::size_t>> nearest;
  for (std::size_t a = 0; a < map.n_nodes; ++a) {
    map.nodes[a] = node(block, cell, a);
    nearest.emplace_back(norm(map.nodes[a] - x), a);
  }
  xi = centre_of_cell(block.type);
  if (newton(map, x, xi) <= tolerance_) return true;
  std::sort(nearest.begin(), nearest.end());
  const bool curved = norm(bend_of(block, cell)) > tolerance_;
  nearest.resize(curved ? nearest.size() : 1);
  for (const auto& [distance, a] : nearest) {
    xi = t.nodes[a];
    if (newton(map, x, xi) <= tolerance_) return true;
  }
  return false;
}

CellLocator::Found CellLocator::search(std::array<double, 3> at, bool owned_only) const {
  if (mesh_->dim == 2 && std::abs(at[2] - plane_) <= round_off_) at[2] = plane_;
  const Vec3 x{{at[0], at[1], at[2]}};
  struct Candidate {
    GlobalIndex id;
    std::size_t block;
    Index cell;
  };
  std::vector<Candidate> candidates;
  std::vector<Index> cells;
  for (std::size_t b = 0; b < trees_.size(); ++b) {
    const CellBlock& block = mesh_->cells[b];
    cells.clear();
    collect(block, trees_[b], x, cells);
    for (Index c : cells)
      if (!owned_only || block.owned[static_cast<std::size_t>(c)])
        candidates.push_back({block.ids[static_cast<std::size_t>(c)], b, c});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.id < b.id; });
  for (const auto& [id, b, cell] : candidates) {
    std::array<double, 3> xi;
    if (invert(mesh_->cells[b], cell, x, xi)) return {static_cast<int>(b), cell, xi, true};
  }
  return {};
}

std::vector<CellLocator::Located> CellLocator::locate(
    const Comm& comm, std::span<const std::array<double, 3>> points) const {
  constexpr GlobalIndex nobody = std::numeric_limits<GlobalIndex>::max();
  std::vector<Located> located(points.size());
  std::vector<GlobalIndex> ids(points.size(), nobody);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Found found = search(points[i], true);
    located[i].here = found;
    if (found.found)
      ids[i] = mesh_->cells[static_cast<std::size_t>(found.block)]
                   .ids[static_cast<std::size_t>(found.cell)];
  }
  std::vector<GlobalIndex> lowest = ids;
  comm.min(std::span<GlobalIndex>(lowest));
  std::vector<int> ranks(points.size(), -1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (ids[i] != nobody && ids[i] == lowest[i])
      ranks[i] = comm.rank();  // a cell has one owner: no other rank says so
    else
      located[i].here = {};
  }
  comm.max(std::span<int>(ranks));
  for (std::size_t i = 0; i < points.size(); ++i) located[i].rank = ranks[i];
  return located;
}

std::vector<double> CellLocator::interpolate(const Found& at, std::span<const double> nodal,
                                             int components) const {
  const CellBlock& block = mesh_->cells[static_cast<std::size_t>(at.block)];
  const auto n = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
  const auto width = static_cast<std::size_t>(components);
  double N[mesh::max_nodes_per_cell];
  shape_functions(block.type, at.xi.data(), N, nullptr);
  std::vector<double> value(width, 0);
  for (std::size_t a = 0; a < n; ++a) {
    const auto i = static_cast<std::size_t>(block.nodes[static_cast<std::size_t>(at.cell) * n + a]);
    for (std::size_t c = 0; c < width; ++c) value[c] += N[a] * nodal[i * width + c];
  }
  return value;
}

}  // namespace trestle::fem
