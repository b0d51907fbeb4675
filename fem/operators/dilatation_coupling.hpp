// The coupling of a displacement with a scalar field through the change of volume.
#pragma once

#include <vector>

#include "fem/matrix_layout.hpp"
#include "solver/matrix/rectangular_matrix.hpp"

namespace trestle::fem {

/// A coefficient at the points of the stiffness rule, by block [cell, point].
using PointCoefficient = std::vector<gpu::Array<double>>;

/// gradient += G, G_ab = integral of w grad N_a N_b (with N_a / r along x in axisymmetry), in
/// dim x 1 blocks: the force of a pressure -w T of a scalar field T. `layout` has the matrix's
/// pattern.
void add_gradient_coupling(const Discretisation& discretisation, const MatrixLayout& layout,
                           const PointCoefficient& w, solver::RectangularMatrix& gradient);
/// divergence += D, D_ab = integral of w N_a grad N_b, in 1 x dim blocks: D u is the integral of
/// w N_a div u. With the same w it is the transpose of G.
void add_divergence_coupling(const Discretisation& discretisation, const MatrixLayout& layout,
                             const PointCoefficient& w, solver::RectangularMatrix& divergence);

}  // namespace trestle::fem
