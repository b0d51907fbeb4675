// Half spaces of cells, and the largest ball in them by linear programming.
#include "mesh/common_ball.hpp"

#include <cmath>
#include <limits>

namespace trestle::mesh {
namespace {

/// Calls visit(normal, point) for an edge of a flat cell, or for the triangles on three
/// neighbouring vertices of a facet of another, until it returns true; whether it did.
template <class Visit>
bool any_triangle(const Solid& solid, const SubCell& facet, Visit visit) {
  const auto n = static_cast<std::size_t>(traits(facet.type).n_vertices);
  const auto x = [&](std::size_t i) { return solid.vertices[facet.nodes[i < n ? i : i - n]]; };
  const Point edge = minus(x(1), x(0));
  if (n == 2) return visit(Point{edge[1], -edge[0], 0}, x(0));
  for (std::size_t i = 0; i < (n == 3 ? 1 : n); ++i)
    if (visit(cross(minus(x(i + 1), x(i)), minus(x(i + 2), x(i))), x(i))) return true;
  return false;
}

/// How far a curved facet lies behind that on its vertices at most, in the direction of a normal,
/// by how far its nodes between the vertices do. The shape functions of these are positive: in the
/// middle of a triangle they are 4/9 each, those of opposite sides of a quadrilateral add up to 1
/// at most, and a node in its middle adds what it is off the middle of theirs.
double depth_of(CellType facet, std::span<const double> depths) {
  const auto behind = [&](std::size_t i) { return std::max(depths[i], 0.0); };
  if (depths.size() == 1) return behind(0);
  if (depths.size() == 3) return 4.0 / 3 * std::max({behind(0), behind(1), behind(2)});
  const double off = facet == CellType::quad9
                         ? depths[4] - (depths[0] + depths[1] + depths[2] + depths[3]) / 2
                         : 0;
  return std::max(behind(0), behind(2)) + std::max(behind(1), behind(3)) + std::max(off, 0.0);
}

/// How far a curved facet lies behind that on the vertices of a solid.
double bulge_of(const RawMesh& mesh, const RawBlock& block, const GlobalIndex* nodes,
                const SubCell& facet, const Solid& solid) {
  const CellTraits& type = traits(facet.type);
  std::array<Point, 5> off{};  // of the nodes between the vertices from their straight places
  const auto n = static_cast<std::size_t>(type.n_nodes - type.n_vertices);
  for (std::size_t i = 0; i < n; ++i) {
    const int node = facet.nodes[static_cast<std::size_t>(type.n_vertices) + i];
    const NodeParents parents = node_parents(block.type, node);
    off[i] = point_of(mesh, nodes[node]);
    for (int p = 0; p < parents.n; ++p) {
      const Point& x = solid.vertices[parents.vertices[static_cast<std::size_t>(p)]];
      for (std::size_t d = 0; d < 3; ++d) off[i][d] -= x[d] / parents.n;
    }
  }
  double most = 0;
  any_triangle(solid, facet, [&](const Point& normal, const Point&) {
    std::array<double, 5> depths{};
    for (std::size_t i = 0; i < n; ++i) depths[i] = -dot(normal, off[i]) / length(normal);
    most = std::max(most, depth_of(facet.type, std::span(depths).first(n)));
    return false;
  });
  return most;
}

/// The simplex method for the largest ball: of all balls in the half spaces n_i . x <= h_i the
/// largest has the radius r = min sum l_i h_i over l >= 0 with sum l_i n_i = 0, sum l_i = 1, and
/// the multipliers of these conditions are its centre and r [Dantzig 1963; Boyd & Vandenberghe
/// 2004, sec. 4.3.1].
class BallSearch {
 public:
  BallSearch(int dim, std::size_t n) : n_rows_(static_cast<std::size_t>(dim) + 1), n_(n) {
    for (std::size_t r = 0; r < n_rows_; ++r) {
      row(r).fill(0);
      row(r)[n + r] = 1;  // of a column that costs much, and begins in the basis
      basis_[r] = n + r;
    }
    row(n_rows_ - 1)[right()] = 1;
  }

  /// Column `i`: a half space, its distance from the origin in sizes of the cell.
  void set(std::size_t i, const Point& normal, double distance) {
    for (std::size_t d = 0; d + 1 < n_rows_; ++d) row(d)[i] = normal[d];
    row(n_rows_ - 1)[i] = 1;
    costs_[i] = distance;
  }

  /// The centre, which is the best one unless no ball is larger than `least`.
  Point solve(double least) {
    Row& reduced = row(n_rows_);  // the costs that columns outside the basis would save, negative
    reduced.fill(0);
    for (std::size_t c = 0; c <= right(); ++c) {
      reduced[c] = c < n_ ? costs_[c] : c < right() ? much : 0;
      for (std::size_t r = 0; r < n_rows_; ++r) reduced[c] -= much * row(r)[c];
    }
    constexpr int most_steps = 200;
    for (int step = 0; step < most_steps && -reduced[right()] > least; ++step) {
      const std::size_t column = entering(step > most_steps / 2);
      if (column == n_) break;
      const std::size_t pivot = leaving(column);
      if (pivot == n_rows_) break;
      exchange(pivot, column);
    }
    Point centre{};
    for (std::size_t d = 0; d + 1 < n_rows_; ++d) centre[d] = much - reduced[n_ + d];
    return centre;
  }

 private:
  static constexpr std::size_t most = 48;  // half spaces of two hexahedra
  static constexpr double much = 1e3;      // sizes of a cell: its points are nearer
  static constexpr double zero = 1e-12;
  using Row = std::array<double, most + 5>;

  Row& row(std::size_t r) { return table_[r]; }
  std::size_t right() const { return n_ + n_rows_; }

  /// The column that saves most, or (slower, but never in circles [Bland 1977]) the first.
  std::size_t entering(bool first) {
    const Row& reduced = row(n_rows_);
    std::size_t best = n_;
    for (std::size_t c = 0; c < n_; ++c)
      if (reduced[c] < (best == n_ ? -zero : reduced[best])) {
        best = c;
        if (first) break;
      }
    return best;
  }

  std::size_t leaving(std::size_t column) {
    std::size_t best = n_rows_;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < n_rows_; ++r) {
      if (row(r)[column] <= zero) continue;
      const double ratio = row(r)[right()] / row(r)[column];
      if (ratio < least || (ratio == least && basis_[r] > basis_[best])) {
        best = r;
        least = ratio;
      }
    }
    return best;
  }

  void exchange(std::size_t pivot, std::size_t column) {
    basis_[pivot] = column;
    const double scale = 1 / row(pivot)[column];
    for (std::size_t c = 0; c <= right(); ++c) row(pivot)[c] *= scale;
    for (std::size_t r = 0; r <= n_rows_; ++r) {
      const double factor = row(r)[column];
      if (r == pivot || factor == 0) continue;
      for (std::size_t c = 0; c <= right(); ++c) row(r)[c] -= factor * row(pivot)[c];
    }
  }

  std::size_t n_rows_, n_;
  std::array<Row, 5> table_;
  std::array<double, most> costs_;
  std::array<std::size_t, 4> basis_{};
};

}  // namespace

Solid make_solid(const RawMesh& mesh, const RawBlock& block, std::size_t cell) {
  const CellTraits& type = traits(block.type);
  const GlobalIndex* nodes = block.nodes.data() + cell * width_of(block);
  Solid solid{block.type, block.tags[cell], {}, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(type.n_vertices); ++i)
    solid.vertices[i] = point_of(mesh, nodes[i]);
  if (type.order > 1)
    for (std::size_t f = 0; f < type.facets.size(); ++f)
      solid.bulge[f] = bulge_of(mesh, block, nodes, type.facets[f], solid);
  return solid;
}

Kernel::Kernel(const Solid& solid) {
  const auto facets = traits(solid.type).facets;
  for (std::size_t f = 0; f < facets.size(); ++f)
    any_triangle(solid, facets[f], [&](const Point& normal, const Point& point) {
      add(normal, point, solid.bulge[f]);
      return false;
    });
}

void Kernel::add(const Point& normal, const Point& point, double inset) {
  const double scale = 1 / length(normal);
  if (!std::isfinite(scale)) {
    is_empty_ = true;
    return;
  }
  half_spaces_[n_++] = {{normal[0] * scale, normal[1] * scale, normal[2] * scale}, point, inset};
}

bool is_apart(const Solid& solid, std::span<const Point> points) {
  constexpr double rounding = 1e-9;
  const auto has_none_behind = [&](const Point& normal, const Point& point) {
    double lowest = 0, size = 0;
    for (const Point& x : points) {
      const Point from = minus(x, point);
      lowest = std::min(lowest, dot(normal, from));
      size = std::max({size, std::abs(from[0]), std::abs(from[1]), std::abs(from[2])});
    }
    return lowest >=
           -rounding * size * (std::abs(normal[0]) + std::abs(normal[1]) + std::abs(normal[2]));
  };
  return std::ranges::any_of(traits(solid.type).facets, [&](const SubCell& facet) {
    return any_triangle(solid, facet, has_none_behind);
  });
}

Ball common_ball(int dim, std::span<const HalfSpace> a, std::span<const HalfSpace> b,
                 const Point& inside, double size, double least) {
  BallSearch search(dim, a.size() + b.size());
  std::size_t n = 0;
  for (const auto sides : {a, b})
    for (const HalfSpace& side : sides)
      search.set(n++, side.normal,
                 (dot(side.normal, minus(side.point, inside)) - side.inset) / size);
  Ball ball{search.solve(least / size), std::numeric_limits<double>::infinity()};
  for (std::size_t d = 0; d < 3; ++d) ball.centre[d] = inside[d] + size * ball.centre[d];
  for (const auto sides : {a, b})  // rounding and an early end make it smaller, never larger
    for (const HalfSpace& side : sides)
      ball.radius =
          std::min(ball.radius, -dot(side.normal, minus(ball.centre, side.point)) - side.inset);
  return ball;
}

}  // namespace trestle::mesh
