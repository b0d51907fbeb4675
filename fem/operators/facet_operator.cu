#include "fem/operators/facet_operator.hpp"

#include "fem/kernels/facet_kernels.hpp"
#include "fem/operators/cell_operator_of.hpp"

namespace trestle::fem {

void add_facet_load(const Discretisation& discretisation, const EntityBlock& facets,
                    const gpu::Array<double>& load, int load_components,
                    solver::Vector<double>& sum) {
  const CellView view = discretisation.view(facets, facets.load);
  const gpu::View<const double, 3> values(load.data(), facets.n_entities, facets.load.n_points,
                                          load_components);
  sum_over_chunks(discretisation, facets, 1.0, sum, [&](Offset first, gpu::View<double, 3> work) {
    gpu::for_each(discretisation.device(), work.extent(0), FacetLoad{view, values, work, first});
  });
}

void add_follower_load(const Discretisation& discretisation, const EntityBlock& facets,
                       const gpu::Array<double>& load, const solver::Vector<double>& u,
                       double factor, solver::Vector<double>& sum) {
  const CellView view = discretisation.view(facets, facets.load);
  const gpu::View<const double, 3> values(load.data(), facets.n_entities, facets.load.n_points, 1);
  sum_over_chunks(discretisation, facets, factor, sum,
                  [&](Offset first, gpu::View<double, 3> work) {
                    gpu::for_each(discretisation.device(), work.extent(0),
                                  FollowerLoad{view, values, nodal(u), work, first});
                  });
}

void add_follower_matrix(const Discretisation& discretisation, const EntityBlock& facets,
                         const gpu::Array<double>& load, const solver::Vector<double>& u,
                         double factor, solver::BlockMatrix<double>& matrix) {
  const CellView view = discretisation.view(facets, facets.load);
  const gpu::View<const double, 3> values(load.data(), facets.n_entities, facets.load.n_points, 1);
  const FollowerRow kernel{
      view, values, nodal(u), factor, facets.around.view(), matrix_view(matrix)};
  if (!scatters(discretisation.device()))
    return gpu::for_each(discretisation.device(), facets.around.n_rows(), kernel);
  for (Offset f = 0; f < facets.n_entities; ++f)
    for (int a = 0; a < facets.n_nodes; ++a)
      if (const Index row = view.nodes(f, a); row < kernel.matrix.n_owned) kernel.add(row, f, a);
}

void add_exchange_load(const Discretisation& discretisation, Exchange kind,
                       const EntityBlock& facets, const gpu::Array<double>& load,
                       const solver::Vector<double>& u, double factor,
                       solver::Vector<double>& sum) {
  const CellView view = discretisation.view(facets, facets.load);
  const gpu::View<const double, 3> values(load.data(), facets.n_entities, facets.load.n_points, 2);
  sum_over_chunks(discretisation, facets, factor, sum,
                  [&](Offset first, gpu::View<double, 3> work) {
                    gpu::for_each(discretisation.device(), work.extent(0),
                                  ExchangeLoad{kind, view, values, nodal(u), work, first});
                  });
}

void add_exchange_matrix(const Discretisation& discretisation, Exchange kind,
                         const EntityBlock& facets, const gpu::Array<double>& load,
                         const solver::Vector<double>& u, solver::BlockMatrix<double>& matrix) {
  const CellView view = discretisation.view(facets, facets.load);
  const gpu::View<const double, 3> values(load.data(), facets.n_entities, facets.load.n_points, 2);
  const ExchangeRow kernel{kind, view, values, nodal(u), facets.around.view(), matrix_view(matrix)};
  if (!scatters(discretisation.device()))
    return gpu::for_each(discretisation.device(), facets.around.n_rows(), kernel);
  for (Offset f = 0; f < facets.n_entities; ++f)
    for (int a = 0; a < facets.n_nodes; ++a)
      if (const Index row = view.nodes(f, a); row < kernel.matrix.n_owned) kernel.add(row, f, a);
}

}  // namespace trestle::fem
