// Position of points along the Hilbert curve through a box: near on the curve means near in space.
#pragma once

#include <array>
#include <cstdint>

namespace trestle::mesh {

/// A bounding box; empty when a lower bound exceeds its upper one.
struct Bounds {
  std::array<double, 3> lower;
  std::array<double, 3> upper;
};

/// The curve through the cube with the corner `bounds.lower` and the longest side of `bounds`.
class HilbertCurve {
 public:
  static constexpr int bits = 21;  // per axis

  explicit HilbertCurve(const Bounds& bounds);

  /// Key of a point, 63 bits; points outside count as on the surface. Points with keys k and k + 1
  /// lie in neighbouring cells of the grid of 2^21 cells per axis.
  std::uint64_t key(double x, double y, double z) const;

  using Point = std::array<double, 3>;
  /// Keys of four points side by side: the levels of one wait for each other, those of several do
  /// not.
  std::array<std::uint64_t, 4> keys(const std::array<Point, 4>& points) const;

 private:
  template <std::size_t n>
  std::array<std::uint64_t, n> keys_of(const std::array<Point, n>& points) const;
  std::uint32_t step(double x, int axis) const;

  std::array<double, 3> lower_;
  double scale_;
};

}  // namespace trestle::mesh
