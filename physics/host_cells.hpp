// Cells or facets of one type with the places of a mesh on the host, for map_point and the like.
#pragma once

#include <span>

#include "fem/cells/quadrature.hpp"
#include "fem/discretisation.hpp"

namespace trestle::physics {

/// A rule with the nodes and coordinates of a mesh, both of which outlive it.
class HostCells {
 public:
  /// `nodes` [entity, node].
  HostCells(const fem::Discretisation& discretisation, mesh::CellType type,
            std::span<const Index> nodes, const fem::Quadrature& rule)
      : discretisation_(discretisation), table_(fem::tabulate(type, rule)), nodes_(nodes) {}

  fem::CellView view() const {
    const mesh::Mesh& mesh = discretisation_.mesh();
    const auto n = static_cast<Offset>(table_.n_nodes);
    return {.nodes = {nodes_.data(), static_cast<Offset>(nodes_.size()) / n, n},
            .x = {mesh.coordinates.data(), static_cast<Offset>(mesh.coordinates.size() / 3), 3},
            .N = {table_.N.data(), table_.n_points, n},
            .dN = {table_.dN.data(), table_.n_points, n, 3},
            .weights = {table_.weights.data(), table_.n_points},
            .dim = mesh.dim,
            .section = discretisation_.section(),
            .d2N = {}};
  }
  int n_nodes() const { return table_.n_nodes; }
  int n_points() const { return table_.n_points; }

 private:
  const fem::Discretisation& discretisation_;
  fem::Tabulation table_;
  std::span<const Index> nodes_;
};

}  // namespace trestle::physics
