#include "fem/cell_operator.hpp"

#include "fem/chunks.hpp"

namespace trestle::fem {

MaterialView MaterialData::view(const Discretisation& discretisation, std::size_t block) const {
  const EntityBlock& cells = discretisation.blocks()[block];
  MaterialView view;
  view.material = material[block].view();
  view.table = {table.data(), table.size() / n_parameters, n_parameters};
  if (!field.empty())
    view.field = {field[block].data(), cells.n_entities, cells.stiffness.n_points, n_parameters};
  return view;
}

void add_body_load(const Discretisation& discretisation, const EntityBlock& block,
                   const gpu::Array<double>& load, double factor, solver::Vector<double>& sum) {
  const CellView cells = discretisation.view(block, block.load);
  const int width = sum.block();
  const gpu::View<const double, 3> values(load.data(), block.n_entities, block.load.n_points,
                                          width);
  gather_over_chunks(discretisation.device(), block, block.around, width, factor, sum.view(),
                     [&](Offset first, gpu::View<double, 3> work) {
                       return BodyLoad{cells, values, work, first};
                     });
}

}  // namespace trestle::fem
