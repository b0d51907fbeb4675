// The cell operator of solids whose law is chosen by material at run time: linear, hyperelastic or
// plastic, with a dilatation that does not lock where asked for.
#pragma once

#include "fem/materials/solid_law.hpp"
#include "fem/operators/cell_operator.hpp"
#include "fem/operators/formulation.hpp"

namespace trestle::fem {

/// Modes of the dilatation of a cell. `mean_dilatation`: constant in cells of order 1 and in
/// quadratic ones that have no stable linear mode; linear in quadratic quads and hexes (as the pair
/// Q2/P-1 [Boffi, Brezzi and Fortin 2013, sec. 8.6]). 0: the dilatation of every point, also for
/// tri3 and tet4, which have one point.
int dilatation_modes(mesh::CellType type, Formulation formulation);

/// `data` has the parameters of solid_parameter; `curves` [point, 2] are the hardening curves that
/// they name. Plane strain, axisymmetry and three dimensions. The discretisation and the data must
/// outlive the operator.
std::unique_ptr<CellOperator> make_solid_operator(const Discretisation& discretisation,
                                                  const MaterialData& data,
                                                  std::span<const double> curves,
                                                  Formulation formulation);

}  // namespace trestle::fem
