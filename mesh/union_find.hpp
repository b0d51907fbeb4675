// Disjoint sets of 0 .. n-1, the lowest member standing for each.
#pragma once

#include <numeric>
#include <vector>

#include "core/types.hpp"

namespace trestle::mesh {

/// Union-find with path halving [Tarjan & van Leeuwen 1984].
class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }
  /// The lowest member of the set of `i`.
  Index root(Index i) {
    while (parent(i) != i) i = parent(i) = parent(parent(i));
    return i;
  }
  void join(Index a, Index b) {
    a = root(a);
    b = root(b);
    parent(a > b ? a : b) = a < b ? a : b;
  }

 private:
  Index& parent(Index i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<Index> parent_;
};

}  // namespace trestle::mesh
