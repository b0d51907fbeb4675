// The map from a reference cell to a cell: derivatives of the shape functions at fixed points, and
// what follows from them (measures, Jacobians).
#pragma once

#include <array>
#include <vector>

#include "core/types.hpp"
#include "mesh/cell_type.hpp"

namespace trestle::mesh {

using Point = std::array<double, 3>;

/// Points of a reference cell with the derivatives of the shape functions there.
struct ReferencePoints {
  std::size_t n_nodes = 0;
  std::vector<Point> points;
  std::vector<Point> gradients;  // [point, node]
  std::vector<double> weights;   // [point], of a quadrature; else empty
  std::size_t size() const { return points.size(); }
};

/// A quadrature that is exact for the measure of every cell of full type in its dimension. Points
/// have no weights for point1.
const ReferencePoints& quadrature_points(CellType type);
/// Where the Jacobian of a cell is looked at: nodes and quadrature points; one point where it is
/// constant. The apex of a pyramid, where the map has no derivative, is replaced by points near it.
const ReferencePoints& sample_points(CellType type);
/// The vertices, without the apex of a pyramid.
const ReferencePoints& vertex_points(CellType type);

/// Derivatives dx/dxi_c of the map, one per reference direction c  [m].
using Tangents = std::array<Point, 3>;

/// At point `p` of `at`, for a cell whose nodes stand at `x` [node].
Tangents tangents(const ReferencePoints& at, std::size_t p, const Point* x);

inline Point minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Point& a);
/// The determinant of the map: of the first `dim` tangents, for dim 2 in the x-y plane.
double determinant(const Tangents& t, int dim);
/// The ratio of measures d(physical) / d(reference): length, area or volume, for any position in
/// space; signed for dim 3.
double measure_ratio(const Tangents& t, int dim);

/// Length, area or volume of a cell whose nodes stand at `x`; signed for dim 3  [m^dim].
double measure(CellType type, const Point* x);

}  // namespace trestle::mesh
