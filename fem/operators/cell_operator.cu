#include "fem/operators/cell_operator.hpp"

#include <algorithm>

#include "fem/operators/cell_lanes.hpp"
#include "fem/operators/chunks.hpp"
#include "fem/point_values.hpp"

namespace trestle::fem {

MaterialView MaterialData::view(const Discretisation& discretisation, std::size_t block) const {
  const EntityBlock& cells = discretisation.blocks()[block];
  MaterialView view;
  view.material = material[block].view();
  view.table = {table.data(), table.size() / n_parameters, n_parameters};
  if (!field.empty())
    view.field = {field[block].data(), cells.n_entities,
                  field[block].size() / std::max<Offset>(1, cells.n_entities * n_parameters),
                  n_parameters};
  return view;
}

void add_body_load(const Discretisation& discretisation, const EntityBlock& block,
                   std::span<const Expression> components, const Expression& density, double time,
                   solver::Vector<double>& sum) {
  const gpu::Device& device = discretisation.device();
  const CellView all = discretisation.view(block, block.load);
  if (scatters(device)) return add_body_load_in_lanes(device, all, components, density, time, sum);
  PointValues point_values(device, components, density);
  sum_over_chunks(discretisation, block, 1.0, sum, [&](Offset first, gpu::View<double, 3> work) {
    CellView cells = all;
    cells.nodes = {all.nodes.data() + first * block.n_nodes, work.extent(0), block.n_nodes};
    gpu::for_each(device, work.extent(0),
                  BodyLoad{cells, point_values.evaluate(cells, time), work});
  });
}

}  // namespace trestle::fem
