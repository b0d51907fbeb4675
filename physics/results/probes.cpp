#include "physics/results/probes.hpp"

#include <algorithm>
#include <limits>

#include "fem/cells/element.hpp"

namespace trestle::physics {
namespace {

std::vector<fem::CellLocator::Located> locate(const mesh::Mesh& mesh,
                                              std::vector<std::array<double, 3>> places) {
  if (places.empty()) return {};
  const fem::CellLocator locator(mesh);
  if (mesh.dim == 2)
    for (auto& place : places)
      if (place[2] == 0) place[2] = locator.plane();
  return locator.locate(mesh.comm(), places);
}

}  // namespace

std::vector<bool> places_found(const mesh::Mesh& mesh, std::vector<std::array<double, 3>> places) {
  std::vector<bool> found;
  for (const auto& place : locate(mesh, std::move(places))) found.push_back(place.rank >= 0);
  return found;
}

Probes::Probes(const Analysis& analysis, const ResultPoints& points,
               std::vector<std::array<double, 3>> places)
    : analysis_(analysis), points_(points), located_(locate(analysis.mesh(), std::move(places))) {}

std::vector<int> Probes::regions() const {
  std::vector<int> region;
  for (const auto& probe : located_) {
    const bool mine = probe.rank == analysis_.mesh().comm().rank();
    region.push_back(mine ? analysis_.materials()[static_cast<std::size_t>(probe.here.block)]
                                                 [static_cast<std::size_t>(probe.here.cell)]
                          : -1);
  }
  analysis_.mesh().comm().max(std::span<int>(region));
  return region;
}

std::vector<double> Probes::value(std::size_t probe, Derived& derived,
                                  const std::string& result) const {
  const std::vector<double>& values = derived.values(result);
  const auto n = static_cast<std::size_t>(result_info(analysis_.description(), result).components);
  std::vector<double> sum(n, 0.0);
  const fem::CellLocator::Located& located = located_[probe];
  if (located.rank < 0) return std::vector<double>(n, std::numeric_limits<double>::quiet_NaN());
  if (located.rank == analysis_.mesh().comm().rank()) {
    const auto block = static_cast<std::size_t>(located.here.block);
    const auto cell = static_cast<std::size_t>(located.here.cell);
    const mesh::CellBlock& cells = analysis_.mesh().cells[block];
    const mesh::CellTraits& traits = mesh::traits(cells.type);
    double N[mesh::max_nodes_per_cell];
    fem::shape_functions(traits.type, located.here.xi.data(), N, nullptr);
    for (int a = 0; a < traits.n_nodes; ++a) {
      const Index node =
          cells
              .nodes[cell * static_cast<std::size_t>(traits.n_nodes) + static_cast<std::size_t>(a)];
      const auto point =
          static_cast<std::size_t>(points_.point(node, analysis_.materials()[block][cell]));
      for (std::size_t k = 0; k < n; ++k) sum[k] += N[a] * values[point * n + k];
    }
  }
  analysis_.mesh().comm().sum(std::span<double>(sum));
  return sum;
}

}  // namespace trestle::physics
