// The largest ball that two cells have in common: what tells cells that overlap from cells that
// touch.
#pragma once

#include <array>
#include <span>

#include "mesh/check_steps.hpp"

namespace trestle::mesh {

/// A cell with all that its overlaps are found by, packed to travel.
struct Solid {
  CellType type;
  std::int64_t tag;               // id in the file
  std::array<Point, 8> vertices;  // [m]
  std::array<double, 6> bulge;    // [facet]: how far it lies behind the one on its vertices [m]

  std::span<const Point> points() const {
    return std::span(vertices).first(static_cast<std::size_t>(traits(type).n_vertices));
  }
};
Solid make_solid(const RawMesh& mesh, const RawBlock& block, std::size_t cell);

/// The points x with normal . (x - point) <= -inset.
struct HalfSpace {
  Point normal;  // of length 1
  Point point;
  double inset;
};

/// The half spaces behind the facets of a cell, behind all triangles on three vertices of a
/// quadrilateral. What lies in all of them lies in the cell, whatever its shape: each facet, flat,
/// warped or curved, is seen from there on its inner side, and all of them together go round once.
class Kernel {
 public:
  explicit Kernel(const Solid& solid);
  std::span<const HalfSpace> half_spaces() const { return std::span(half_spaces_).first(n_); }
  /// Whether there is none for a facet, as three of its vertices are in a line.
  bool is_empty() const { return is_empty_; }

 private:
  void add(const Point& normal, const Point& point, double inset);

  static constexpr std::size_t most = 24;  // four for each facet of a hexahedron
  std::array<HalfSpace, most> half_spaces_;
  std::size_t n_ = 0;
  bool is_empty_ = false;
};

/// Whether all `points` are in front of one facet of a cell, within rounding, and so have none of
/// its kernel behind them.
bool is_apart(const Solid& solid, std::span<const Point> points);

struct Ball {
  Point centre;
  double radius;
};

/// The largest ball within the half spaces of `a`, of a cell of diameter `size` around the point
/// `inside`, and of `b`, which may be none; where it is no larger than `least`, any smaller one.
/// The radius is negative where they have nothing in common.
Ball common_ball(int dim, std::span<const HalfSpace> a, std::span<const HalfSpace> b,
                 const Point& inside, double size, double least);

}  // namespace trestle::mesh
