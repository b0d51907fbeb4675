// The facets of the boundary and its vertices in a grid of boxes, to find hanging nodes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "mesh/check_steps.hpp"

namespace trestle::mesh {

/// A facet that only one cell has.
struct BoundaryFacet {
  std::array<GlobalIndex, 9> nodes;  // vertices first, -1 behind the last
  std::array<GlobalIndex, 8> cell;   // vertices of its cell, -1 behind the last
  std::array<Point, 4> x;            // of its vertices
  std::size_t n_vertices;

  std::span<const Point> points() const { return std::span(x).first(n_vertices); }
  bool is_of_cell(GlobalIndex node) const { return std::ranges::find(cell, node) != cell.end(); }
  bool has(GlobalIndex node) const { return std::ranges::find(nodes, node) != nodes.end(); }
  bool operator<(const BoundaryFacet& b) const { return nodes < b.nodes; }
  bool operator==(const BoundaryFacet& b) const { return nodes == b.nodes; }
};

BoundaryFacet boundary_facet(const RawMesh& mesh, const CellFacet& at);

inline double distance(const Point& a, const Point& b) { return length(minus(b, a)); }

/// Sum of the lengths of its edges, and their number: 1 in 2D.
double length_of_edges(const BoundaryFacet& facet);
std::size_t edges_of(const BoundaryFacet& facet);

/// Whether the vertex `v` of the boundary, which stands at `x`, hangs on the facet: it is one of
/// its mid nodes, or it is no vertex of its cell and lies between the facet's straight edges or on
/// one of them, away from its vertices; a quadrilateral is two triangles.
bool hangs_on(const BoundaryFacet& facet, GlobalIndex v, const Point& x);

/// Boxes as wide as an edge of the boundary is long on average.
class FacetBoxes {
 public:
  using Box = std::array<std::int64_t, 3>;

  explicit FacetBoxes(double width) : width_(width) {}

  Box of(const Point& x) const {
    Box box{};
    for (std::size_t d = 0; d < 3; ++d)
      box[d] = static_cast<std::int64_t>(std::floor(x[d] / width_));
    return box;
  }

  /// Calls visit(first, last) for each row of boxes, along the last direction, that the box around
  /// some points touches; a facet that is very much larger than others is left out.
  template <class Visit>
  void for_each_row(std::span<const Point> points, Visit visit) const {
    constexpr std::int64_t most = 20;
    Box from = of(points[0]), to = from;
    for (const Point& x : points.subspan(1)) {
      const Box box = of(x);
      for (std::size_t d = 0; d < 3; ++d) {
        from[d] = std::min(from[d], box[d]);
        to[d] = std::max(to[d], box[d]);
        if (to[d] - from[d] > most) return;
      }
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
  explicit VertexGrid(const FacetBoxes& boxes) : boxes_(boxes) {}
  void add(const Point& x, GlobalIndex vertex) { entries_.push_back({boxes_.of(x), vertex}); }
  /// After the last `add`.
  void sort() { std::sort(entries_.begin(), entries_.end()); }

  /// Calls found(v) for the vertices in the boxes that the box around a facet touches.
  template <class Found>
  void near(const BoundaryFacet& facet, Found found) const {
    boxes_.for_each_row(
        facet.points(), [&](const FacetBoxes::Box& first, const FacetBoxes::Box& last) {
          for (auto at = std::lower_bound(entries_.begin(), entries_.end(), Entry{first, 0});
               at != entries_.end() && at->first <= last; ++at)
            found(at->second);
        });
  }

 private:
  using Entry = std::pair<FacetBoxes::Box, GlobalIndex>;
  FacetBoxes boxes_;
  std::vector<Entry> entries_;
};

}  // namespace trestle::mesh
