// Which boxes of a grid boxes touch.
#include "mesh/occupancy.hpp"

#include <algorithm>
#include <cmath>

namespace trestle::mesh {

Occupancy::Occupancy(const Bounds& bounds) : lower_(bounds.lower), words_(n * n, 0) {
  for (std::size_t d = 0; d < 3; ++d) {
    const double extent = bounds.upper[d] - bounds.lower[d];
    per_width_[d] = extent > 0 ? static_cast<double>(n) / extent : 0;
    if (!std::isfinite(per_width_[d])) per_width_[d] = 0;
  }
}

Occupancy::Place Occupancy::place(const std::array<double, 3>& x) const {
  Place place{};
  for (std::size_t d = 0; d < 3; ++d)
    place[d] = static_cast<std::uint8_t>(
        std::clamp((x[d] - lower_[d]) * per_width_[d], 0.0, static_cast<double>(n - 1)));
  return place;
}

template <class Visit>
bool Occupancy::any_word(const Place& lower, const Place& upper, Visit visit) const {
  const std::uint64_t bits =
      ~std::uint64_t{0} << lower[2] & ~std::uint64_t{0} >> (n - 1 - upper[2]);
  for (std::size_t i = lower[0]; i <= upper[0]; ++i)
    for (std::size_t j = lower[1]; j <= upper[1]; ++j)
      if (visit(i * n + j, bits)) return true;
  return false;
}

void Occupancy::add(const Bounds& box) {
  any_word(place(box.lower), place(box.upper), [&](std::size_t word, std::uint64_t bits) {
    words_[word] |= bits;
    return false;
  });
}

bool Occupancy::meets(const Place& lower, const Place& upper) const {
  return any_word(lower, upper,
                  [&](std::size_t word, std::uint64_t bits) { return (words_[word] & bits) != 0; });
}

}  // namespace trestle::mesh
