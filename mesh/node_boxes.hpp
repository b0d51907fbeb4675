// NodeBoxes: a grid of boxes that brings nodes together which are nearer than a tolerance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "mesh/check_steps.hpp"

namespace trestle::mesh {

/// Nodes closer than this times the size of the mesh are called coincident.
constexpr double coincidence = 1e-8;

/// Boxes around all nodes, wider than the tolerance, each with a key below 2^63.
class NodeBoxes {
 public:
  NodeBoxes(const Bounds& bounds, double tolerance) : low_(bounds.lower), tolerance_(tolerance) {
    constexpr double most_boxes = 2000000;  // per direction; 21 bits of a key
    width_ = std::max(2 * tolerance, diagonal(bounds) / most_boxes);
    // A shift keeps regular coordinates off the borders of boxes.
    for (double& x : low_) x -= 0.381966 * width_ + tolerance;
  }

  std::uint64_t key(const Point& x) const { return key_of(box_of(x)); }

  /// Calls visit(key) for every box that has a point within the tolerance of `x`.
  template <class Visit>
  void for_each_near(const Point& x, Visit visit) const {
    const Box from = box_of(shifted(x, -tolerance_)), to = box_of(shifted(x, tolerance_));
    for (std::int64_t bz = from[2]; bz <= to[2]; ++bz)
      for (std::int64_t by = from[1]; by <= to[1]; ++by)
        for (std::int64_t bx = from[0]; bx <= to[0]; ++bx) visit(key_of({bx, by, bz}));
  }

  bool are_near(const Point& x, const Point& y) const {
    return length({y[0] - x[0], y[1] - x[1], y[2] - x[2]}) <= tolerance_;
  }

 private:
  using Box = std::array<std::int64_t, 3>;

  static Point shifted(Point x, double by) {
    for (double& value : x) value += by;
    return x;
  }
  Box box_of(const Point& x) const {
    Box box{};
    for (std::size_t d = 0; d < 3; ++d)
      box[d] = static_cast<std::int64_t>(std::floor((x[d] - low_[d]) / width_));
    return box;
  }
  static std::uint64_t key_of(const Box& box) {
    return static_cast<std::uint64_t>(box[0]) << 42 | static_cast<std::uint64_t>(box[1]) << 21 |
           static_cast<std::uint64_t>(box[2]);
  }

  Point low_;
  double tolerance_;
  double width_ = 0;
};

}  // namespace trestle::mesh
