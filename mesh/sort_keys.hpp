// Order of things by a 63-bit key: radix sort of packed leading bits and positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace trestle::mesh {

/// Leading bits of a key above a position in the keys, packed to be moved and compared at once.
class PackedKeys {
 public:
  /// Keys are below 2^63. Sorts by the 33 leading bits of the keys, stably: of a Hilbert key these
  /// tell 2048 steps per axis apart, and so most cells.
  explicit PackedKeys(std::span<const std::uint64_t> keys);

  std::size_t size() const { return items_.size(); }
  Index position(std::size_t i) const { return static_cast<Index>(items_[i] & position_mask_); }
  /// The end of the items whose sorted bits are those of item `i`.
  std::size_t run_end(std::size_t i) const {
    const std::uint64_t bits = items_[i] >> sorted_shift_;
    while (++i < items_.size() && items_[i] >> sorted_shift_ == bits) continue;
    return i;
  }
  /// Sorts items [begin, end) by before(position, position).
  template <class Before>
  void sort_run(std::size_t begin, std::size_t end, Before before) {
    std::sort(items_.begin() + static_cast<std::ptrdiff_t>(begin),
              items_.begin() + static_cast<std::ptrdiff_t>(end),
              [&](std::uint64_t a, std::uint64_t b) {
                return before(static_cast<Index>(a & position_mask_),
                              static_cast<Index>(b & position_mask_));
              });
  }

 private:
  std::vector<std::uint64_t> items_;
  std::uint64_t position_mask_;
  int sorted_shift_;
};

/// The positions of `keys` (below 2^63) in ascending order; before(a, b) decides between the
/// positions of equal keys.
template <class Before>
std::vector<Index> order_by_key(std::span<const std::uint64_t> keys, Before before) {
  PackedKeys packed(keys);
  const auto key = [&](Index i) { return keys[static_cast<std::size_t>(i)]; };
  std::vector<Index> order(packed.size());
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    end = packed.run_end(begin);
    if (end - begin > 1)
      packed.sort_run(begin, end, [&](Index a, Index b) {
        return key(a) != key(b) ? key(a) < key(b) : before(a, b);
      });
    for (std::size_t i = begin; i < end; ++i) order[i] = packed.position(i);
  }
  return order;
}

}  // namespace trestle::mesh
