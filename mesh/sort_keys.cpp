#include "mesh/sort_keys.hpp"

#include <array>
#include <bit>
#include <utility>

namespace trestle::mesh {
namespace {

constexpr int key_bits = 63;
constexpr int digit_bits = 11;
constexpr std::size_t n_digits = 3;
constexpr std::size_t radix = std::size_t{1} << digit_bits;
constexpr int sorted_bits = digit_bits * static_cast<int>(n_digits);

using Histogram = std::array<std::size_t, radix>;

std::size_t digit_of(std::uint64_t item, int shift) { return item >> shift & (radix - 1); }

/// Where the items of each digit begin.
void make_begins(Histogram& counts) {
  std::size_t begin = 0;
  for (std::size_t& count : counts) begin += std::exchange(count, begin);
}

}  // namespace

PackedKeys::PackedKeys(std::span<const std::uint64_t> keys) : items_(keys.size()) {
  narrow<Index>(keys.size());
  const auto position_bits = static_cast<int>(std::bit_width(keys.size()));  // at most 32
  const int kept_bits = std::min(key_bits, 64 - position_bits);
  position_mask_ = (std::uint64_t{1} << position_bits) - 1;
  const int shift = position_bits + kept_bits - sorted_bits;  // of the lowest sorted bit
  sorted_shift_ = shift;

  std::array<Histogram, n_digits> begins{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t item = keys[i] >> (key_bits - kept_bits) << position_bits | i;
    items_[i] = item;
    for (std::size_t d = 0; d < n_digits; ++d)
      ++begins[d][digit_of(item, shift + digit_bits * static_cast<int>(d))];
  }
  std::vector<std::uint64_t> other(items_.size());
  for (std::size_t d = 0; d < n_digits; ++d) {
    make_begins(begins[d]);
    const int at = shift + digit_bits * static_cast<int>(d);
    for (const std::uint64_t item : items_) other[begins[d][digit_of(item, at)]++] = item;
    items_.swap(other);
  }
}

}  // namespace trestle::mesh
