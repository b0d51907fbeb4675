// Occupancy: where in a box there is something, to pass by most places at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/hilbert.hpp"

namespace trestle::mesh {

/// Which boxes of a grid of 64^3 have something in them.
class Occupancy {
 public:
  explicit Occupancy(const Bounds& bounds);
  void add(const Bounds& box);
  bool meets(const Bounds& box) const { return meets(place(box.lower), place(box.upper)); }

  /// The box of the grid that a point is in, or nearest to.
  using Place = std::array<std::uint8_t, 3>;
  Place place(const std::array<double, 3>& x) const;
  /// Whether there is something from one place to another, in all directions.
  bool meets(const Place& lower, const Place& upper) const;

  std::span<const std::uint64_t> words() const { return words_; }
  std::span<std::uint64_t> words() { return words_; }

 private:
  static constexpr std::size_t n = 64;  // in each direction; one word along the last
  /// Calls visit(word, bits), until it returns true; whether one did.
  template <class Visit>
  bool any_word(const Place& lower, const Place& upper, Visit visit) const;

  std::array<double, 3> lower_, per_width_;
  std::vector<std::uint64_t> words_;
};

}  // namespace trestle::mesh
