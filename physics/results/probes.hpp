// Values of results at points in space, the same on any number of ranks.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fem/cells/cell_locator.hpp"
#include "physics/results/derived.hpp"

namespace trestle::physics {

/// Whether each place [m] lies in the mesh; z = 0 stands for the plane of a two-dimensional
/// mesh, wherever that is. Collective.
std::vector<bool> places_found(const mesh::Mesh& mesh, std::vector<std::array<double, 3>> places);

class Probes {
 public:
  /// Finds the cells of `places` [m]; the cell with the lowest canonical id holds a place that
  /// several share. Collective.
  Probes(const Analysis& analysis, const ResultPoints& points,
         std::vector<std::array<double, 3>> places);

  bool found(std::size_t probe) const { return located_[probe].rank >= 0; }
  /// Region (index of the material) of the cell that holds the place; -1 where none does.
  /// Collective.
  std::vector<int> regions() const;
  /// Components of `result` at one place, from the nodes of its cell, one-sided where regions meet;
  /// NaN outside. Collective.
  std::vector<double> value(std::size_t probe, Derived& derived, const std::string& result) const;

 private:
  const Analysis& analysis_;
  const ResultPoints& points_;
  std::vector<fem::CellLocator::Located> located_;
};

}  // namespace trestle::physics
