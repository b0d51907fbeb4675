// Recovery of a flux at nodes from polynomials that are fitted to the cells around them.
#pragma once

#include <vector>

#include "physics/results/result_points.hpp"
#include "physics/state.hpp"

namespace trestle::physics {

/// The flux at the local points [local point, 3]: superconvergent patch recovery within each region
/// [Zienkiewicz and Zhu 1992]. Around each node a polynomial of the order of the cells is fitted to
/// the fluxes at the centres of linear cells, or the quadrature points of quadratic ones; a node
/// with too few cells, as at the boundary, takes the mean of what the polynomials of its
/// neighbours have there, or where they have none, keeps `averages`. Its error falls with one
/// order more than that of the gradient in a cell; ghosts of the result are not filled. Collective.
std::vector<double> recover_flux(const Analysis& analysis, const ResultPoints& points,
                                 const State& state, std::vector<double> averages);

}  // namespace trestle::physics
