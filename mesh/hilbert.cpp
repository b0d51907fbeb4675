#include "mesh/hilbert.hpp"

#include <algorithm>

namespace trestle::mesh {
namespace {

constexpr unsigned rotate_left(unsigned bits, unsigned by) {
  by %= 3;
  return ((bits << by) | (bits >> (3 - by))) & 7u;
}

constexpr unsigned trailing_ones(unsigned i) {
  unsigned n = 0;
  for (; (i & 1u) != 0; i >>= 1) ++n;
  return n;
}

constexpr unsigned gray(unsigned i) { return i ^ (i >> 1); }

/// One level of the curve: in state (entry corner, direction), an octant has a place along the
/// curve and hands a state to the next level [Hamilton, Compact Hilbert Indices, Dalhousie CS
/// 2006-07, sections 2.1 to 2.4].
struct Level {
  std::uint8_t place;
  std::uint8_t next;  // 3 * entry + direction
};

constexpr Level make_level(unsigned entry, unsigned direction, unsigned octant) {
  const unsigned turned = rotate_left(octant ^ entry, 3 - (direction + 1) % 3);
  unsigned place = 0;
  while (gray(place) != turned) ++place;
  const unsigned corner = place == 0 ? 0 : gray(2 * ((place - 1) / 2));
  const unsigned axis =
      place == 0 ? 0 : (place % 2 == 0 ? trailing_ones(place - 1) : trailing_ones(place)) % 3;
  const unsigned next_entry = entry ^ rotate_left(corner, direction + 1);
  const unsigned next_direction = (direction + axis + 1) % 3;
  return {static_cast<std::uint8_t>(place),
          static_cast<std::uint8_t>(3 * next_entry + next_direction)};
}

/// The coarsest level, by octant.
constexpr std::array<Level, 8> first_level = [] {
  std::array<Level, 8> table{};
  for (unsigned octant = 0; octant < 8; ++octant) table[octant] = make_level(0, 0, octant);
  return table;
}();

/// Two levels at once: [state][octant of the coarse level, octant of the fine one].
constexpr std::array<std::array<Level, 64>, 24> two_levels = [] {
  std::array<std::array<Level, 64>, 24> table{};
  for (unsigned state = 0; state < 24; ++state)
    for (unsigned octants = 0; octants < 64; ++octants) {
      const Level coarse = make_level(state / 3, state % 3, octants / 8);
      const Level fine = make_level(coarse.next / 3u, coarse.next % 3u, octants % 8);
      table[state][octants] = {static_cast<std::uint8_t>(8u * coarse.place + fine.place),
                               fine.next};
    }
  return table;
}();

/// The low 21 bits of `x`, two zeros before each.
std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

}  // namespace

HilbertCurve::HilbertCurve(const Bounds& bounds) : lower_(bounds.lower), scale_(0) {
  double side = 0;
  for (std::size_t d = 0; d < 3; ++d) side = std::max(side, bounds.upper[d] - bounds.lower[d]);
  if (side > 0) scale_ = static_cast<double>(1u << bits) / side;
}

std::uint32_t HilbertCurve::step(double x, int axis) const {
  constexpr double last = (1u << bits) - 1;
  const double scaled = (x - lower_[static_cast<std::size_t>(axis)]) * scale_;
  return scaled > 0 ? static_cast<std::uint32_t>(std::min(scaled, last)) : 0;
}

template <std::size_t n>
std::array<std::uint64_t, n> HilbertCurve::keys_of(const std::array<Point, n>& points) const {
  std::array<std::uint64_t, n> octants, keys;
  std::array<unsigned, n> states;
  for (std::size_t i = 0; i < n; ++i) {
    octants[i] = spread(step(points[i][0], 0)) | spread(step(points[i][1], 1)) << 1 |
                 spread(step(points[i][2], 2)) << 2;
    const Level& first = first_level[octants[i] >> (3 * bits - 3)];
    keys[i] = first.place;
    states[i] = first.next;
  }
  for (int shift = 3 * bits - 9; shift >= 0; shift -= 6)
    for (std::size_t i = 0; i < n; ++i) {
      const Level& level = two_levels[states[i]][octants[i] >> shift & 63];
      keys[i] = keys[i] << 6 | level.place;
      states[i] = level.next;
    }
  return keys;
}

std::uint64_t HilbertCurve::key(double x, double y, double z) const {
  return keys_of<1>({{{x, y, z}}})[0];
}

std::array<std::uint64_t, 4> HilbertCurve::keys(const std::array<Point, 4>& points) const {
  return keys_of<4>(points);
}

}  // namespace trestle::mesh
