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

std::array<std::size_t, 2> Occupancy::range(const Bounds& box, std::size_t d) const {
  const auto place = [&](double x) {
    return static_cast<std::size_t>(
        std::clamp((x - lower_[d]) * per_width_[d], 0.0, static_cast<double>(n - 1)));
  };
  return {place(box.lower[d]), place(box.upper[d])};
}

template <class Visit>
bool Occupancy::any_word(const Bounds& box, Visit visit) const {
  const auto x = range(box, 0), y = range(box, 1), z = range(box, 2);
  const std::uint64_t bits = ~std::uint64_t{0} << z[0] & ~std::uint64_t{0} >> (n - 1 - z[1]);
  for (std::size_t i = x[0]; i <= x[1]; ++i)
    for (std::size_t j = y[0]; j <= y[1]; ++j)
      if (visit(i * n + j, bits)) return true;
  return false;
}

void Occupancy::add(const Bounds& box) {
  any_word(box, [&](std::size_t word, std::uint64_t bits) {
    words_[word] |= bits;
    return false;
  });
}

bool Occupancy::meets(const Bounds& box) const {
  return any_word(box,
                  [&](std::size_t word, std::uint64_t bits) { return (words_[word] & bits) != 0; });
}

}  // namespace trestle::mesh
