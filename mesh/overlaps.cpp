// Compares cells of the boundary with all cells near them.
#include "mesh/overlaps.hpp"

#include <cmath>

#include "mesh/occupancy.hpp"

namespace trestle::mesh {
namespace {

constexpr double wider = 1e-3;  // boxes of walls, of their sizes

void widen(Bounds& box, double by) {
  for (std::size_t d = 0; d < 3; ++d) {
    box.lower[d] -= by;
    box.upper[d] += by;
  }
}

Bounds box_of(std::span<const Point> points) {
  Bounds box = empty_box;
  for (const Point& x : points) extend(box, x);
  return box;
}

Point middle_of(const Solid& solid) {
  Point middle{};
  for (const Point& x : solid.points())
    for (std::size_t d = 0; d < 3; ++d)
      middle[d] += x[d] / static_cast<double>(solid.points().size());
  return middle;
}

/// A cell with what it is compared by.
struct Body {
  explicit Body(const Solid& cell)
      : solid(cell), kernel(cell), middle(middle_of(cell)), size(diagonal(box_of(cell.points()))) {}
  Ball own_ball(int dim) const {
    return common_ball(dim, kernel.half_spaces(), {}, middle, size, 0);
  }

  const Solid& solid;
  Kernel kernel;
  Point middle;
  double size;
};

/// A side of a flat cell, or a triangle of a facet of another, on the boundary.
struct Wall {
  std::array<Point, 3> vertices;
  std::size_t n;     // of its vertices: the dimension of the mesh
  Point normal;      // out of its cell, such that heights above its plane are in sizes of the wall
  Index cell;        // its place among those of the boundary
  std::int64_t tag;  // of the cell

  /// Whether a cell with these vertices lies so that it may overlap the wall's: across the plane,
  /// or behind it with a facet in the plane and not beside the wall.
  bool may_carry(std::span<const Point> points, std::int64_t its_tag) const {
    constexpr double in_plane = 1e-3, rounding = 1e-6;
    double lowest = 0, highest = 0;
    std::array<Point, 8> facet;
    std::size_t n_inside = 0;
    for (const Point& x : points) {
      const double height = dot(normal, minus(x, vertices[0]));
      lowest = std::min(lowest, height);
      highest = std::max(highest, height);
      if (height > -in_plane) facet[n_inside++] = x;
    }
    if (lowest > -rounding || tag == its_tag) return false;
    if (highest > rounding) return true;
    return n_inside >= n && !is_beside(std::span(facet).first(n_inside));
  }

 private:
  /// Whether points near the plane are all beyond one of the edges of a triangle.
  bool is_beside(std::span<const Point> points) const {
    constexpr double rounding = 1e-6;
    for (std::size_t i = 0; n == 3 && i < n; ++i) {
      const Point& from = vertices[i];
      const Point edge = minus(vertices[i < 2 ? i + 1 : 0], from);
      const Point out = cross(edge, normal);
      const double near = rounding * std::sqrt(dot(edge, edge));
      if (std::ranges::all_of(points,
                              [&](const Point& x) { return dot(out, minus(x, from)) > -near; }))
        return true;
    }
    return false;
  }
};

/// Walls with their boxes.
struct BoxedWalls {
  std::vector<Wall> walls;
  std::vector<Bounds> boxes;

  explicit BoxedWalls(const std::vector<BoundaryCell>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const Solid& solid = cells[c].solid;
      const auto facets = traits(solid.type).facets;
      for (std::size_t f = 0; f < facets.size(); ++f) {
        if ((cells[c].facets >> f & 1U) == 0) continue;
        const auto x = [&](int i) {
          return solid.vertices[facets[f].nodes[static_cast<std::size_t>(i)]];
        };
        const int n = traits(facets[f].type).n_vertices;
        if (n == 2) {
          const Point edge = minus(x(1), x(0));
          add({{x(0), x(1)}, 2, {edge[1], -edge[0], 0}, static_cast<Index>(c), solid.tag});
        }
        for (int i = 2; i < n; ++i)
          add({{x(0), x(i - 1), x(i)},
               3,
               cross(minus(x(i - 1), x(0)), minus(x(i), x(0))),
               static_cast<Index>(c),
               solid.tag});
      }
    }
  }

 private:
  void add(Wall wall) {
    Bounds box = box_of(std::span(wall.vertices).first(wall.n));
    const double size = diagonal(box), scale = 1 / (size * length(wall.normal));
    for (double& n : wall.normal) n *= scale;
    walls.push_back(wall);
    widen(box, wider * size);
    boxes.push_back(box);
  }
};

/// The walls of the boundary by place.
class Walls {
 public:
  explicit Walls(const std::vector<BoundaryCell>& cells) : Walls(BoxedWalls(cells)) {}

  /// Calls found(wall) for those whose boxes meet that around `points`, until it returns false.
  /// Number of boxes that were looked at.
  template <class Found>
  std::size_t for_each_near(std::span<const Point> points, Found found) const {
    return tree_.for_each_meeting(box_of(points),
                                  [&](std::size_t place) { return found(walls_[place]); });
  }
  const Occupancy& occupancy() const { return occupancy_; }

 private:
  explicit Walls(const BoxedWalls& boxed) : tree_(boxed.boxes), occupancy_(united(boxed.boxes)) {
    for (const Bounds& box : boxed.boxes) occupancy_.add(box);
    for (const Index i : tree_.order()) walls_.push_back(boxed.walls[static_cast<std::size_t>(i)]);
  }
  static Bounds united(const std::vector<Bounds>& boxes) {
    Bounds all = empty_box;
    for (const Bounds& box : boxes) extend(all, box);
    return all;
  }

  BoxTree tree_;
  std::vector<Wall> walls_;  // in the order of the tree
  Occupancy occupancy_;
};

struct CellVertices {
  CellVertices(const RawMesh& mesh, const RawBlock& block, std::size_t cell)
      : n(static_cast<std::size_t>(traits(block.type).n_vertices)) {
    const GlobalIndex* nodes = block.nodes.data() + cell * width_of(block);
    for (std::size_t i = 0; i < n; ++i) x[i] = point_of(mesh, nodes[i]);
  }
  std::span<const Point> points() const { return std::span(x).first(n); }

  std::array<Point, 8> x;
  std::size_t n;
};

/// The cells of a mesh where there are walls, neighbours in space one after the other, so that
/// the walls that they look at are in the cache.
class NearCells {
 public:
  struct Cell {
    const RawBlock* block;
    std::size_t cell;
  };

  NearCells(const RawMesh& mesh, const Occupancy& walls) {
    std::vector<Occupancy::Place> of_nodes;  // smaller than their coordinates
    for (GlobalIndex i = 0; i < mesh.n_nodes; ++i)
      of_nodes.push_back(walls.place(point_of(mesh, i)));
    Bounds all = empty_box;
    std::vector<Point> places;
    for (const RawBlock& block : mesh.cells) {
      const auto n = static_cast<std::size_t>(traits(block.type).n_vertices);
      const GlobalIndex* nodes = block.nodes.data();
      for (std::size_t e = 0; e < block.size(); ++e, nodes += width_of(block)) {
        Occupancy::Place lower = of_nodes[static_cast<std::size_t>(nodes[0])], upper = lower;
        for (std::size_t i = 1; i < n; ++i) {
          const Occupancy::Place& place = of_nodes[static_cast<std::size_t>(nodes[i])];
          for (std::size_t d = 0; d < 3; ++d) {
            lower[d] = std::min(lower[d], place[d]);
            upper[d] = std::max(upper[d], place[d]);
          }
        }
        if (!walls.meets(lower, upper)) continue;
        cells_.push_back({&block, e});
        places.push_back(point_of(mesh, nodes[0]));
        extend(all, places.back());
      }
    }
    const HilbertCurve curve(all);
    std::vector<std::uint64_t> keys;
    for (const Point& x : places) keys.push_back(curve.key(x[0], x[1], x[2]));
    order_ = order_by_key(keys, std::less<Index>());
  }

  std::size_t size() const { return order_.size(); }
  const Cell& operator[](std::size_t i) const {
    return cells_[static_cast<std::size_t>(order_[i])];
  }

 private:
  std::vector<Cell> cells_;
  std::vector<Index> order_;
};

/// The overlap of two cells; its depth is 0 where there is none.
Overlap compare(int dim, const Solid& first, const Solid& second) {
  constexpr double rounding = 1e-9;
  Overlap overlap{{first.tag, second.tag}, {}, 0};
  if (is_apart(first, second.points()) || is_apart(second, first.points())) return overlap;
  const Body a(first), b(second);
  if (a.kernel.is_empty() || b.kernel.is_empty()) return overlap;
  const Body& small = a.size < b.size ? a : b;
  const Body& large = a.size < b.size ? b : a;
  const double near = rounding * small.size;
  overlap.ball = common_ball(dim, small.kernel.half_spaces(), large.kernel.half_spaces(),
                             small.middle, small.size, near);
  if (overlap.ball.radius <= near) return overlap;
  overlap.depth = overlap.ball.radius / std::min(a.own_ball(dim).radius, b.own_ball(dim).radius);
  std::sort(overlap.tags.begin(), overlap.tags.end());
  return overlap;
}

}  // namespace

Bounds box_of(const BoundaryCell& cell) {
  const auto facets = traits(cell.solid.type).facets;
  Bounds box = empty_box;
  for (std::size_t f = 0; f < facets.size(); ++f)
    for (int i = 0; i < traits(facets[f].type).n_vertices && (cell.facets >> f & 1U) != 0; ++i)
      extend(box, cell.solid.vertices[facets[f].nodes[static_cast<std::size_t>(i)]]);
  widen(box, wider * diagonal(box));
  return box;
}

std::vector<BoundaryCell> boundary_cells(const RawMesh& mesh, std::vector<CellFacet> boundary) {
  const auto before = [](const CellFacet& a, const CellFacet& b) {
    return a.block != b.block ? a.block < b.block : a.cell < b.cell;
  };
  if (!std::ranges::is_sorted(boundary, before)) std::ranges::sort(boundary, before);
  std::vector<BoundaryCell> cells;
  for (std::size_t first = 0, end = 0; first < boundary.size(); first = end) {
    unsigned facets = 0;
    for (; end < boundary.size() && !before(boundary[first], boundary[end]); ++end)
      facets |= 1U << boundary[end].facet;
    cells.push_back({make_solid(mesh, mesh.cells[static_cast<std::size_t>(boundary[first].block)],
                                static_cast<std::size_t>(boundary[first].cell)),
                     facets});
  }
  return cells;
}

Bounds box_of(const RawMesh& mesh, const RawBlock& block, std::size_t cell) {
  return box_of(CellVertices(mesh, block, cell).points());
}

bool find_overlaps(const RawMesh& mesh, const std::vector<BoundaryCell>& boundary,
                   const std::function<bool(const Overlap&)>& found) {
  if (boundary.empty()) return true;
  const Walls walls(boundary);
  const NearCells cells(mesh, walls.occupancy());
  constexpr std::size_t most_for_a_cell = 1000, comparison = 20;  // in boxes looked at
  std::size_t n_cells = 1000, looked_at = 0;
  bool go_on = true;
  for (std::size_t i = 0; i < cells.size() && go_on; ++i) {
    const auto [block, e] = cells[i];
    const CellVertices vertices(mesh, *block, e);
    const std::size_t boxes =
        walls.for_each_near(vertices.points(), [&, block = block, e = e](const Wall& wall) {
          if (!wall.may_carry(vertices.points(), block->tags[e])) return true;
          looked_at += comparison;
          const Solid& other = boundary[static_cast<std::size_t>(wall.cell)].solid;
          const Overlap overlap = compare(mesh.dim, make_solid(mesh, *block, e), other);
          if (overlap.depth > least_depth) go_on = found(overlap);
          return go_on;
        });
    looked_at += boxes;
    if (looked_at > most_for_a_cell * ++n_cells) return false;
  }
  return true;
}

}  // namespace trestle::mesh
