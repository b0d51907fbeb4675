// What is integrated over facets: loads per area, and exchange of heat.
#pragma once

#include "fem/discretisation.hpp"
#include "fem/kernels/facet_kernels.hpp"
#include "solver/matrix/block_matrix.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::fem {

/// sum += integral of N_a t over the facets, at the load rule. `load` is [facet, point, k]: k is
/// the number of components of sum, or 1 on a vector field: a pressure against the outward normal
/// [Pa].
void add_facet_load(const Discretisation& discretisation, const EntityBlock& facets,
                    const gpu::Array<double>& load, int load_components,
                    solver::Vector<double>& sum);

/// sum += factor * the force of a pressure `load`, [facet, point, 1] [Pa], that follows the facets
/// as u displaces them; the ghosts of u are up to date.
void add_follower_load(const Discretisation& discretisation, const EntityBlock& facets,
                       const gpu::Array<double>& load, const solver::Vector<double>& u,
                       double factor, solver::Vector<double>& sum);

/// matrix += minus the derivative of that by u, which is not symmetric.
void add_follower_matrix(const Discretisation& discretisation, const EntityBlock& facets,
                         const gpu::Array<double>& load, const solver::Vector<double>& u,
                         double factor, solver::BlockMatrix<double>& matrix);

/// sum += factor * integral of N_a times the heat flow into the body at temperature u, whose ghosts
/// are up to date; `load` is [facet, point, 2]: coefficient, ambient temperature [K].
void add_exchange_load(const Discretisation& discretisation, Exchange kind,
                       const EntityBlock& facets, const gpu::Array<double>& load,
                       const solver::Vector<double>& u, double factor, solver::Vector<double>& sum);

/// matrix += minus the derivative of that by u.
void add_exchange_matrix(const Discretisation& discretisation, Exchange kind,
                         const EntityBlock& facets, const gpu::Array<double>& load,
                         const solver::Vector<double>& u, solver::BlockMatrix<double>& matrix);

}  // namespace trestle::fem
