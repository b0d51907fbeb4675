#include "mesh/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace trestle::mesh {
namespace {

using Position = std::array<int, 3>;  // on the lattice of one brick, 0 .. resolution
using Counts = std::array<GlobalIndex, 4>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The corners of a brick in the order of hex8 (or, in 2D, of quad4): 0 or 1 along each axis.
constexpr std::array<Position, 8> corners{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
constexpr int centre = 8;  // stands for the middle of the brick in the lists below

/// The linear cells that one brick is cut into, by corners; opposite faces of the brick are cut
/// alike, so that bricks fit together.
std::vector<std::vector<int>> cells_of_brick(CellType linear) {
  switch (linear) {
    case CellType::tri3:
      return {{0, 1, 2}, {0, 2, 3}};
    case CellType::quad4:
      return {{0, 1, 2, 3}};
    case CellType::tet4:  // Kuhn: a path along the axes from corner 0 to corner 6 each
      return {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    case CellType::hex8:
      return {{0, 1, 2, 3, 4, 5, 6, 7}};
    case CellType::prism6:
      return {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
    default: {
      std::vector<std::vector<int>> pyramids;  // bases face the centre
      for (const SubCell& face : traits(CellType::hex8).facets)
        pyramids.push_back({face.nodes[0], face.nodes[3], face.nodes[2], face.nodes[1], centre});
      return pyramids;
    }
  }
}

/// One brick of the pattern: which lattice points are nodes, and the cells by these.
struct Pattern {
  int resolution;                       // lattice steps along an edge of the brick
  std::vector<Position> points;         // distinct nodes of the brick
  std::vector<std::vector<int>> cells;  // [cell][node]: index into points
};

int point_index(std::vector<Position>& points, const Position& wanted) {
  const auto found = std::find(points.begin(), points.end(), wanted);
  if (found != points.end()) return static_cast<int>(found - points.begin());
  points.push_back(wanted);
  return static_cast<int>(points.size()) - 1;
}

Pattern make_pattern(CellType type) {
  const CellTraits& cell = traits(type);
  Pattern pattern{cell.order * (cell.linear == CellType::pyramid5 ? 2 : 1), {}, {}};
  const int resolution = pattern.resolution;
  const auto position = [&](int corner) -> Position {
    if (corner == centre) return {resolution / 2, resolution / 2, resolution / 2};
    const Position& unit = corners[at(corner)];
    return {resolution * unit[0], resolution * unit[1], resolution * unit[2]};
  };
  for (const std::vector<int>& vertices : cells_of_brick(cell.linear)) {
    std::vector<int>& nodes = pattern.cells.emplace_back();
    for (int i = 0; i < cell.n_nodes; ++i) {
      const NodeParents parents = node_parents(type, i);
      Position sum{};
      for (int k = 0; k < parents.n; ++k)
        for (std::size_t d = 0; d < 3; ++d)
          sum[d] += position(vertices[parents.vertices[at(k)]])[d];
      for (int& x : sum) x /= parents.n;
      nodes.push_back(point_index(pattern.points, sum));
    }
  }
  return pattern;
}

/// Numbers along one axis: the lattice coordinate resolution * q + c holds `before[c]` items of
/// its period before it, and a period has `period` items.
struct Axis {
  Counts before{};
  GlobalIndex period = 0;

  Axis(const Counts& items, int resolution) {
    for (int c = 0; c < resolution; ++c) {
      before[at(c)] = period;
      period += items[at(c)];
    }
  }
  Axis() = default;
  GlobalIndex first(Index q, int c) const { return q * period + before[at(c)]; }
  /// Inverse: the coordinate whose items hold number `i`, which becomes the number within it.
  GlobalIndex locate(GlobalIndex& i, int resolution) const {
    const GlobalIndex q = i / period;
    i -= q * period;
    int c = resolution - 1;
    while (before[at(c)] > i) --c;
    i -= before[at(c)];
    return q * resolution + c;
  }
};

/// The lexicographic numbers of those lattice points of the whole box that are nodes.
class Lattice {
 public:
  Lattice(const Pattern& pattern, const std::array<Index, 3>& bricks)
      : resolution_(pattern.resolution) {
    std::array<std::array<Counts, 4>, 4> used{};  // [z][y][x] within a brick
    for (const Position& p : pattern.points)
      used[at(p[2] % resolution_)][at(p[1] % resolution_)][at(p[0] % resolution_)] = 1;
    Counts in_plane{};
    for (std::size_t z = 0; z < at(resolution_); ++z) {
      Counts in_row{};
      for (std::size_t y = 0; y < at(resolution_); ++y) {
        x_[z][y] = Axis(used[z][y], resolution_);
        in_row[y] = x_[z][y].first(bricks[0], 0) + used[z][y][0];
      }
      y_[z] = Axis(in_row, resolution_);
      in_plane[z] = y_[z].first(bricks[1], 0) + in_row[0];
    }
    z_ = Axis(in_plane, resolution_);
    n_nodes_ = z_.first(bricks[2], 0) + in_plane[0];
  }

  GlobalIndex n_nodes() const { return n_nodes_; }
  GlobalIndex number(const std::array<Index, 3>& brick, const Position& p) const {
    const auto step = [&](std::size_t d) { return brick[d] + p[d] / resolution_; };
    const int x = p[0] % resolution_, y = p[1] % resolution_, z = p[2] % resolution_;
    return z_.first(step(2), z) + y_[at(z)].first(step(1), y) + x_[at(z)][at(y)].first(step(0), x);
  }
  /// Lattice coordinates of node `i`.
  std::array<GlobalIndex, 3> position(GlobalIndex i) const {
    const GlobalIndex z = z_.locate(i, resolution_);
    const auto plane = static_cast<std::size_t>(z % resolution_);
    const GlobalIndex y = y_[plane].locate(i, resolution_);
    const auto row = static_cast<std::size_t>(y % resolution_);
    return {x_[plane][row].locate(i, resolution_), y, z};
  }

 private:
  int resolution_;
  std::array<std::array<Axis, 4>, 4> x_;
  std::array<Axis, 4> y_;
  Axis z_;
  GlobalIndex n_nodes_;
};

/// A facet of the pattern on a side of the brick: 0 xmin, 1 xmax, 2 ymin ...
struct SideFacet {
  int side;
  int cell;  // of the pattern
  int facet;
};

std::vector<SideFacet> side_facets(const Pattern& pattern, const CellTraits& cell) {
  std::vector<SideFacet> found;
  for (int c = 0; c < static_cast<int>(pattern.cells.size()); ++c)
    for (int f = 0; f < static_cast<int>(cell.facets.size()); ++f)
      for (int side = 0; side < 2 * cell.dim; ++side) {
        const SubCell& facet = cell.facets[at(f)];
        const int wall = side % 2 == 0 ? 0 : pattern.resolution;
        const auto* end = facet.nodes.data() + traits(facet.type).n_vertices;
        if (std::all_of(facet.nodes.data(), end, [&](std::uint8_t v) {
              const int point = pattern.cells[at(c)][v];
              return pattern.points[at(point)][at(side / 2)] == wall;
            }))
          found.push_back({side, c, f});
      }
  return found;
}

/// Refuses cells so small beside their coordinates that rounding deforms them.
void check_resolution(const BoxOptions& box, int d) {
  constexpr double digits = 1e3 * std::numeric_limits<double>::epsilon();
  const double origin = box.origin[at(d)], cell = box.size[at(d)] / box.cells[at(d)];
  const double resolved = digits * std::max(std::abs(origin), std::abs(origin + box.size[at(d)]));
  require(
      cell > resolved, ExitCode::mesh,
      fmt::format("the cells of a generated box are {:.3g} m long along {} at the origin {:.6g}: "
                  "coordinates there hold steps of {:.3g} m and more; move the origin nearer to "
                  "0, or take larger cells",
                  cell, "xyz"[d], origin, resolved));
}

void check(const BoxOptions& box) {
  const CellTraits& cell = traits(box.cell);
  const std::string name(cell.name);
  require(cell.dim >= 2, ExitCode::mesh,
          "a box of " + name + " cells cannot be generated; take a type of dimension 2 or 3");
  double n = 1000;  // more than the nodes that one brick adds
  for (int d = 0; d < cell.dim; ++d) {
    const std::string axis(1, "xyz"[d]);
    require(box.size[at(d)] > 0 && std::isfinite(box.size[at(d)]), ExitCode::mesh,
            "the size of a generated box along " + axis + " is " + std::to_string(box.size[at(d)]) +
                "; it must be positive");
    require(
        box.size[at(d)] >= 1e-90 && box.size[at(d)] <= 1e90, ExitCode::mesh,
        fmt::format("the size of a generated box along {} is {:.3g} m: its volume is not in the "
                    "range of numbers; give 1e-90 to 1e90 m",
                    axis, box.size[at(d)]));
    require(std::isfinite(box.origin[at(d)]), ExitCode::mesh,
            "the origin of a generated box along " + axis + " is not finite");
    require(box.cells[at(d)] >= 1, ExitCode::mesh,
            "a generated box has " + std::to_string(box.cells[at(d)]) + " cells along " + axis +
                "; give at least 1");
    check_resolution(box, d);
    n *= box.cells[at(d)];
  }
  require(n < 4e18, ExitCode::mesh, "a generated box has more cells than can be numbered");
}

/// Generates the slice of one rank.
class BoxGenerator {
 public:
  BoxGenerator(const Comm& comm, const BoxOptions& box)
      : box_(box),
        cell_(traits(box.cell)),
        pattern_(make_pattern(box.cell)),
        bricks_{box.cells[0], box.cells[1], cell_.dim == 3 ? box.cells[2] : 1},
        lattice_(pattern_, {bricks_[0], bricks_[1], cell_.dim == 3 ? bricks_[2] : 0}),
        sides_(side_facets(pattern_, cell_)),
        comm_(comm) {}

  RawMesh generate() {
    mesh_.dim = cell_.dim;
    mesh_.n_nodes = lattice_.n_nodes();
    mesh_.n_cells =
        GlobalIndex{bricks_[0]} * bricks_[1] * bricks_[2] * narrow<int>(pattern_.cells.size());
    add_groups();
    add_nodes();
    add_cells();
    return std::move(mesh_);
  }

 private:
  void add_groups() {
    mesh_.groups.push_back({"body", cell_.dim, 1});
    const std::array<const char*, 6> names{"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    for (int side = 0; side < 2 * cell_.dim; ++side)
      mesh_.groups.push_back({names[at(side)], cell_.dim - 1, side + 1});
    mesh_.group_sets.emplace_back();
    for (int group = 0; group <= 2 * cell_.dim; ++group) mesh_.group_sets.push_back({group});
  }

  void add_nodes() {
    const Share share = share_of(mesh_.n_nodes, comm_.rank(), comm_.size());
    mesh_.coordinates.reserve(static_cast<std::size_t>(3 * share.count()));
    mesh_.node_tags.reserve(static_cast<std::size_t>(share.count()));
    for (GlobalIndex i = share.first; i < share.last; ++i) {
      const std::array<GlobalIndex, 3> position = lattice_.position(i);
      for (std::size_t d = 0; d < 3; ++d)
        mesh_.coordinates.push_back(static_cast<int>(d) < cell_.dim ? coordinate(d, position[d])
                                                                    : box_.origin[d]);
      mesh_.node_tags.push_back(i + 1);
    }
  }

  double coordinate(std::size_t d, GlobalIndex step) const {
    const GlobalIndex steps = GlobalIndex{pattern_.resolution} * bricks_[d];
    return box_.origin[d] + box_.size[d] * (static_cast<double>(step) / static_cast<double>(steps));
  }

  void add_cells() {
    const auto per_brick = static_cast<GlobalIndex>(pattern_.cells.size());
    const Share share = share_of(mesh_.n_cells, comm_.rank(), comm_.size());
    const auto n = static_cast<std::size_t>(share.count());
    RawBlock& block = mesh_.cells.emplace_back();
    block.type = box_.cell;
    block.nodes.resize(n * at(cell_.n_nodes));
    block.ids.resize(n);
    block.tags.resize(n);
    block.group_set.assign(n, 1);
    for (std::size_t i = 0; i < n; ++i) {
      block.ids[i] = share.first + static_cast<GlobalIndex>(i);
      block.tags[i] = block.ids[i] + 1;
    }
    GlobalIndex* nodes = block.nodes.data();
    for (GlobalIndex brick = share.first / per_brick; brick * per_brick < share.last; ++brick) {
      const GlobalIndex begin = brick * per_brick;
      nodes = add_brick(brick, narrow<int>(std::max(share.first - begin, GlobalIndex{0})),
                        narrow<int>(std::min(share.last - begin, per_brick)), nodes);
    }
  }

  /// Cells [begin, end) of brick number `number`, whose nodes go to `nodes`, and their facets on
  /// the sides of the box. Returns the place behind the nodes.
  GlobalIndex* add_brick(GlobalIndex number, int begin, int end, GlobalIndex* nodes) {
    const std::array<Index, 3> brick{static_cast<Index>(number % bricks_[0]),
                                     static_cast<Index>(number / bricks_[0] % bricks_[1]),
                                     static_cast<Index>(number / bricks_[0] / bricks_[1])};
    numbers_.clear();
    for (const Position& point : pattern_.points) numbers_.push_back(lattice_.number(brick, point));
    for (int c = begin; c < end; ++c)
      for (int point : pattern_.cells[at(c)]) *nodes++ = numbers_[at(point)];
    for (const SideFacet& facet : sides_) {
      const std::size_t axis = at(facet.side / 2);
      const Index wall = facet.side % 2 == 0 ? 0 : bricks_[axis] - 1;
      if (brick[axis] == wall && facet.cell >= begin && facet.cell < end)
        add_facet(facet, number * narrow<int>(pattern_.cells.size()) + facet.cell);
    }
    return nodes;
  }

  void add_facet(const SideFacet& where, GlobalIndex cell) {
    const SubCell& facet = cell_.facets[at(where.facet)];
    auto block = std::find_if(mesh_.entities.begin(), mesh_.entities.end(),
                              [&](const RawBlock& b) { return b.type == facet.type; });
    if (block == mesh_.entities.end()) {
      mesh_.entities.push_back({facet.type, {}, {}, {}, {}});
      block = mesh_.entities.end() - 1;
    }
    for (int i = 0; i < traits(facet.type).n_nodes; ++i)
      block->nodes.push_back(numbers_[at(pattern_.cells[at(where.cell)][facet.nodes[at(i)]])]);
    const auto n_facets = static_cast<GlobalIndex>(cell_.facets.size());
    block->tags.push_back(mesh_.n_cells + cell * n_facets + where.facet + 1);
    block->group_set.push_back(where.side + 2);
  }

  const BoxOptions& box_;
  const CellTraits& cell_;
  Pattern pattern_;
  std::array<Index, 3> bricks_;
  Lattice lattice_;
  std::vector<SideFacet> sides_;
  const Comm& comm_;
  RawMesh mesh_;
  std::vector<GlobalIndex> numbers_;  // of the brick at hand, by point of the pattern
};

}  // namespace

RawMesh generate_box(const Comm& comm, const BoxOptions& options) {
  check(options);
  return BoxGenerator(comm, options).generate();
}

}  // namespace trestle::mesh
