// BoxTree: boxes in a tree, to find those that meet another one, however different their sizes are.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "mesh/hilbert.hpp"
#include "mesh/sort_keys.hpp"

namespace trestle::mesh {

constexpr Bounds empty_box = [] {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return Bounds{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
}();

inline void extend(Bounds& box, const std::array<double, 3>& x) {
  for (std::size_t d = 0; d < 3; ++d) {
    box.lower[d] = std::min(box.lower[d], x[d]);
    box.upper[d] = std::max(box.upper[d], x[d]);
  }
}

inline void extend(Bounds& box, const Bounds& other) {
  extend(box, other.lower);
  extend(box, other.upper);
}

/// Boxes in the order of a Hilbert curve, eight neighbours under one, and so on up [Kamel &
/// Faloutsos, On packing R-trees, CIKM 1993].
class BoxTree {
 public:
  explicit BoxTree(const std::vector<Bounds>& boxes) : order_(order_of(boxes)) {
    std::vector<Bounds> level;
    for (const Index i : order_) level.push_back(boxes[static_cast<std::size_t>(i)]);
    for (levels_.push_back(packed(level)); levels_.back().size() > 1;) {
      level = united(level);
      levels_.push_back(packed(level));
    }
  }

  /// The boxes by their places in the tree.
  const std::vector<Index>& order() const { return order_; }

  /// Calls found(place) for every box that meets `box`, until it returns false. Number of boxes
  /// that were looked at.
  template <class Found>
  std::size_t for_each_meeting(const Bounds& box, Found found) const {
    std::size_t looked_at = 0;
    if (!order_.empty()) look(levels_.size() - 1, 0, box, found, looked_at);
    return looked_at;
  }

 private:
  static constexpr std::size_t width = 8;
  /// The boxes under one, side by side to be compared at once.
  struct Node {
    std::array<std::array<double, width>, 3> lower, upper;

    /// How far apart they are from `box` in the direction where that is most; 0 or less: they meet.
    std::array<double, width> gaps(const Bounds& box) const {
      const auto larger = [](double a, double b) { return a > b ? a : b; };
      std::array<double, width> gaps;
      for (std::size_t i = 0; i < width; ++i) {
        const double x = larger(lower[0][i] - box.upper[0], box.lower[0] - upper[0][i]);
        const double y = larger(lower[1][i] - box.upper[1], box.lower[1] - upper[1][i]);
        const double z = larger(lower[2][i] - box.upper[2], box.lower[2] - upper[2][i]);
        gaps[i] = larger(x, larger(y, z));
      }
      return gaps;
    }
  };

  static std::vector<Index> order_of(const std::vector<Bounds>& boxes) {
    Bounds all = empty_box;
    for (const Bounds& box : boxes) extend(all, middle(box));
    const HilbertCurve curve(all);
    std::vector<std::uint64_t> keys;
    for (const Bounds& box : boxes) {
      const auto x = middle(box);
      keys.push_back(curve.key(x[0], x[1], x[2]));
    }
    return order_by_key(keys, std::less<Index>());
  }
  static std::array<double, 3> middle(const Bounds& box) {
    std::array<double, 3> x;
    for (std::size_t d = 0; d < 3; ++d) x[d] = box.lower[d] / 2 + box.upper[d] / 2;
    return x;
  }
  static std::vector<Bounds> united(const std::vector<Bounds>& boxes) {
    std::vector<Bounds> above((boxes.size() + width - 1) / width, empty_box);
    for (std::size_t i = 0; i < boxes.size(); ++i) extend(above[i / width], boxes[i]);
    return above;
  }
  static std::vector<Node> packed(const std::vector<Bounds>& boxes) {
    std::vector<Node> nodes((boxes.size() + width - 1) / width);
    for (std::size_t i = 0; i < nodes.size() * width; ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        const Bounds& box = i < boxes.size() ? boxes[i] : empty_box;
        nodes[i / width].lower[d][i % width] = box.lower[d];
        nodes[i / width].upper[d][i % width] = box.upper[d];
      }
    return nodes;
  }

  /// At the boxes of a node of a level; false to end.
  template <class Found>
  bool look(std::size_t level, std::size_t node, const Bounds& box, Found& found,
            std::size_t& looked_at) const {
    const auto gaps = levels_[level][node].gaps(box);
    looked_at += width;
    for (std::size_t i = 0; i < width; ++i) {
      if (gaps[i] > 0) continue;
      const std::size_t below = node * width + i;
      if (!(level == 0 ? found(below) : look(level - 1, below, box, found, looked_at)))
        return false;
    }
    return true;
  }

  std::vector<Index> order_;
  std::vector<std::vector<Node>> levels_;  // of the boxes in order, of those above them ...
};

}  // namespace trestle::mesh
