// BoxTree: boxes in a tree, to find those that meet another one, however different their sizes are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
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
    for (const Bounds& box : boxes) extend(all_, box);
    for (levels_.push_back(packed(level)); levels_.back().size() > 1;) {
      level = united(level);
      levels_.push_back(packed(level));
    }
  }

  /// The boxes by their places in the tree.
  const std::vector<Index>& order() const { return order_; }

  /// Calls found(place) for every box that meets `box`, and maybe for some beside it, until it
  /// returns false. Number of boxes that were looked at.
  template <class Found>
  std::size_t for_each_meeting(const Bounds& box, Found found) const {
    std::size_t looked_at = 0;
    if (!order_.empty()) look(levels_.size() - 1, 0, SmallBox(box, all_), found, looked_at);
    return looked_at;
  }

 private:
  static constexpr std::size_t width = 8;
  /// A box relative to the middle of the tree, so that single precision tells boxes apart wherever
  /// they are; a little wider.
  struct SmallBox {
    std::array<float, 3> lower, upper;

    SmallBox(const Bounds& box, const Bounds& tree) {
      constexpr float infinity = std::numeric_limits<float>::infinity();
      const auto origin = middle(tree);
      for (std::size_t d = 0; d < 3; ++d) {
        lower[d] = std::nextafter(static_cast<float>(box.lower[d] - origin[d]), -infinity);
        upper[d] = std::nextafter(static_cast<float>(box.upper[d] - origin[d]), infinity);
      }
    }
  };
  /// The boxes under one, side by side to be compared at once.
  struct Node {
    std::array<std::array<float, width>, 3> lower, upper;

    void set(std::size_t i, const SmallBox& box) {
      for (std::size_t d = 0; d < 3; ++d) {
        lower[d][i] = box.lower[d];
        upper[d][i] = box.upper[d];
      }
    }
    /// A bit for each that meets `box`.
    std::uint32_t meeting(const SmallBox& box) const {
      const auto larger = [](float a, float b) { return a > b ? a : b; };
      std::uint32_t bits = 0;
      for (std::uint32_t i = 0; i < width; ++i) {  // the gap where it is largest
        const float x = larger(lower[0][i] - box.upper[0], box.lower[0] - upper[0][i]);
        const float y = larger(lower[1][i] - box.upper[1], box.lower[1] - upper[1][i]);
        const float z = larger(lower[2][i] - box.upper[2], box.lower[2] - upper[2][i]);
        bits |= larger(x, larger(y, z)) <= 0 ? 1U << i : 0U;
      }
      return bits;
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
  std::vector<Node> packed(const std::vector<Bounds>& boxes) const {
    std::vector<Node> nodes((boxes.size() + width - 1) / width);
    for (std::size_t i = 0; i < nodes.size() * width; ++i)
      nodes[i / width].set(i % width, {i < boxes.size() ? boxes[i] : empty_box, all_});
    return nodes;
  }

  /// At the boxes of a node of a level; false to end.
  template <class Found>
  bool look(std::size_t level, std::size_t node, const SmallBox& box, Found& found,
            std::size_t& looked_at) const {
    looked_at += width;
    for (auto bits = levels_[level][node].meeting(box); bits != 0; bits &= bits - 1) {
      const std::size_t below = node * width + static_cast<std::size_t>(std::countr_zero(bits));
      if (!(level == 0 ? found(below) : look(level - 1, below, box, found, looked_at)))
        return false;
    }
    return true;
  }

  std::vector<Index> order_;
  Bounds all_ = empty_box;
  std::vector<std::vector<Node>> levels_;  // of the boxes in order, of those above them ...
};

}  // namespace trestle::mesh
