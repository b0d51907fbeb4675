// Near-null vectors: what a stiffness matrix hardly resists; multigrid must represent them.
#pragma once

#include <span>
#include <vector>

#include "core/index_map.hpp"

namespace trestle::solver {

/// Translations and rotations, orthonormal over all ranks: 3 vectors in 2D (`dim` 2), 6 in 3D; each
/// [owned node, dim], host. `coordinates` are [owned node, 3] [m], taken relative to their mean.
/// Rotations that vanish (all nodes in one point or on one line) are left out. Collective.
std::vector<std::vector<double>> rigid_body_modes(const IndexMap& map, int dim,
                                                  std::span<const double> coordinates);

/// Makes the vectors orthonormal over all ranks by Gram-Schmidt, twice; drops those that depend on
/// the ones before them (less than 1e-10 of their length left). Collective.
void orthonormalise(const Comm& comm, std::vector<std::vector<double>>& vectors);

}  // namespace trestle::solver
