#include "fem/facet_operator.hpp"

#include "fem/cell_operator_of.hpp"
#include "fem/kernels/facet_kernels.hpp"

namespace trestle::fem {

void add_facet_load(const Discretisation& discretisation, const EntityBlock& facets,
                    const gpu::Array<double>& load, int load_components,
                    solver::Vector<double>& sum) {
  const CellView view = discretisation.view(facets, facets.load);
  const gpu::View<const double, 3> values(load.data(), facets.n_entities, facets.load.n_points,
                                          load_components);
  gather_over_chunks(discretisation.device(), facets, facets.around, sum.block(), 1.0, sum.view(),
                     [&](Offset first, gpu::View<double, 3> work) {
                       return FacetLoad{view, values, work, first};
                     });
}

void add_convection_load(const Discretisation& discretisation, const EntityBlock& facets,
                         const gpu::Array<double>& load, const solver::Vector<double>& u,
                         solver::Vector<double>& sum) {
  const CellView view = discretisation.view(facets, facets.load);
  const gpu::View<const double, 3> values(load.data(), facets.n_entities, facets.load.n_points, 2);
  gather_over_chunks(discretisation.device(), facets, facets.around, 1, 1.0, sum.view(),
                     [&](Offset first, gpu::View<double, 3> work) {
                       return ConvectionLoad{view, values, nodal(u), work, first};
                     });
}

void add_convection_matrix(const Discretisation& discretisation, const EntityBlock& facets,
                           const gpu::Array<double>& load, solver::BlockMatrix<double>& matrix) {
  const CellView view = discretisation.view(facets, facets.load);
  const gpu::View<const double, 3> values(load.data(), facets.n_entities, facets.load.n_points, 2);
  gpu::for_each(discretisation.device(), facets.around.n_rows(),
                ConvectionRow{view, values, facets.around.view(), matrix_view(matrix)});
}

}  // namespace trestle::fem
