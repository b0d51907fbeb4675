// The edges of the boundary and its vertices in a grid of boxes, to find hanging nodes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "mesh/check_steps.hpp"

namespace trestle::mesh {

using Edge = std::array<GlobalIndex, 3>;  // ends and the middle node, -1 where there is none

/// The edges of the boundary facets, each once; in 2D the facets themselves.
std::vector<Edge> boundary_edges(const RawMesh& mesh, const std::vector<CellFacet>& boundary);

inline double distance(const Point& a, const Point& b) {
  return length({b[0] - a[0], b[1] - a[1], b[2] - a[2]});
}

/// Whether `x` lies on the straight edge from `a` to `b`, away from its ends.
bool lies_inside(const Point& a, const Point& b, const Point& x);

/// Boxes as wide as an edge of the boundary is long on average.
class EdgeBoxes {
 public:
  using Box = std::array<std::int64_t, 3>;

  explicit EdgeBoxes(double width) : width_(width) {}

  Box of(const Point& x) const {
    Box box{};
    for (std::size_t d = 0; d < 3; ++d)
      box[d] = static_cast<std::int64_t>(std::floor(x[d] / width_));
    return box;
  }

  /// Calls visit(first, last) for each row of boxes, along the last direction, that the box around
  /// a straight edge touches; an edge that is very much longer than others is left out.
  template <class Visit>
  void for_each_row(const Point& a, const Point& b, Visit visit) const {
    constexpr std::int64_t most = 20;
    const Box from_a = of(a), from_b = of(b);
    Box from{}, to{};
    for (std::size_t d = 0; d < 3; ++d) {
      from[d] = std::min(from_a[d], from_b[d]);
      to[d] = std::max(from_a[d], from_b[d]);
      if (to[d] - from[d] > most) return;
    }
    for (std::int64_t x = from[0]; x <= to[0]; ++x)
      for (std::int64_t y = from[1]; y <= to[1]; ++y) visit(Box{x, y, from[2]}, Box{x, y, to[2]});
  }

 private:
  double width_;
};

/// Vertices in such boxes.
class VertexGrid {
 public:
  explicit VertexGrid(const EdgeBoxes& boxes) : boxes_(boxes) {}
  void add(const Point& x, GlobalIndex vertex) { entries_.push_back({boxes_.of(x), vertex}); }
  /// After the last `add`.
  void sort() { std::sort(entries_.begin(), entries_.end()); }

  /// Calls found(v) for the vertices in the boxes that the box around a straight edge touches.
  template <class Found>
  void near(const Point& a, const Point& b, Found found) const {
    boxes_.for_each_row(a, b, [&](const EdgeBoxes::Box& first, const EdgeBoxes::Box& last) {
      for (auto at = std::lower_bound(entries_.begin(), entries_.end(), Entry{first, 0});
           at != entries_.end() && at->first <= last; ++at)
        found(at->second);
    });
  }

 private:
  using Entry = std::pair<EdgeBoxes::Box, GlobalIndex>;
  EdgeBoxes boxes_;
  std::vector<Entry> entries_;
};

}  // namespace trestle::mesh
