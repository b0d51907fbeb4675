// What is integrated over facets: loads per area and convection.
#pragma once

#include "fem/discretisation.hpp"
#include "solver/block_matrix.hpp"
#include "solver/vector.hpp"

namespace trestle::fem {

/// sum += integral of N_a t over the facets, at the load rule. `load` is [facet, point, k]: k is
/// the number of components of sum, or 1 on a vector field: a pressure against the outward normal
/// [Pa].
void add_facet_load(const Discretisation& discretisation, const EntityBlock& facets,
                    const gpu::Array<double>& load, int load_components,
                    solver::Vector<double>& sum);

/// sum += integral of N_a h (T_ambient - u); `load` is [facet, point, 2]: h [W/(m^2 K)], T_ambient
/// [K].
void add_convection_load(const Discretisation& discretisation, const EntityBlock& facets,
                         const gpu::Array<double>& load, const solver::Vector<double>& u,
                         solver::Vector<double>& sum);

/// matrix += integral of h N_a N_b.
void add_convection_matrix(const Discretisation& discretisation, const EntityBlock& facets,
                           const gpu::Array<double>& load, solver::BlockMatrix<double>& matrix);

}  // namespace trestle::fem
