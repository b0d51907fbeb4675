#include "fem/operators/mass.hpp"

#include "fem/operators/cell_operator_of.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::fem {

CoefficientView CellCoefficient::view(const Discretisation& discretisation,
                                      std::size_t block) const {
  const EntityBlock& cells = discretisation.blocks()[block];
  CoefficientView view;
  view.table = table.view();
  if (field.empty())
    view.material = material[block].view();
  else
    view.field = {field[block].data(), cells.n_entities, cells.load.n_points};
  return view;
}

void add_mass(const Discretisation& discretisation, const MatrixLayout& layout,
              const CellCoefficient& coefficient, double factor,
              solver::BlockMatrix<double>& matrix) {
  const gpu::Device& device = discretisation.device();
  for (std::size_t b = 0; b < discretisation.blocks().size(); ++b) {
    const EntityBlock& block = discretisation.blocks()[b];
    const MassSum sum{discretisation.view(block, block.load), coefficient.view(discretisation, b),
                      matrix_view(matrix), matrix.block(), factor};
    if (scatters(device)) {
      add_mass_in_lanes(sum);
      continue;
    }
    const auto rows = [&]<int n>() {
      gpu::for_each(device, block.around.n_rows(),
                    MassRow<n>{sum, block.around.view(), places_of_block(layout, block, b)});
    };
    if (discretisation.mesh().dim == 2)
      Dispatch2d::call(block.n_nodes, rows);
    else
      Dispatch3d::call(block.n_nodes, rows);
  }
}

solver::Vector<double> lumped_mass(const Discretisation& discretisation,
                                   const CellCoefficient& coefficient, int n_components) {
  const gpu::Device& device = discretisation.device();
  const auto& map = discretisation.mesh().nodes;
  solver::Vector<double> of_node(device, map, 1), mass(device, map, n_components);
  gpu::fill(device, of_node.view(), 0.0);
  for (std::size_t b = 0; b < discretisation.blocks().size(); ++b) {
    const EntityBlock& block = discretisation.blocks()[b];
    const bool scaled = mesh::traits(block.type).order == 2;
    sum_over_chunks(
        discretisation, block, 1.0, of_node, [&](Offset first, gpu::View<double, 3> work) {
          gpu::for_each(device, work.extent(0),
                        LumpedMass{discretisation.view(block, block.load),
                                   coefficient.view(discretisation, b), scaled, work, first});
        });
  }
  gpu::for_each(device, map->n_local(), RepeatNode{of_node.view(), mass.view(), n_components});
  return mass;
}

void add_inertia(const Discretisation& discretisation, const CellCoefficient& coefficient,
                 const solver::Vector<double>& a, double factor, solver::Vector<double>& sum) {
  const gpu::Device& device = discretisation.device();
  for (std::size_t b = 0; b < discretisation.blocks().size(); ++b) {
    const EntityBlock& block = discretisation.blocks()[b];
    sum_over_chunks(
        discretisation, block, factor, sum, [&](Offset first, gpu::View<double, 3> work) {
          const InertiaForce kernel{discretisation.view(block, block.load),
                                    coefficient.view(discretisation, b), nodal(a), work, first};
          if (scatters(device))
            inertia_force_in_lanes(kernel);
          else
            gpu::for_each(device, work.extent(0), kernel);
        });
  }
}

void add_lumped_mass(const solver::Vector<double>& lumped, double factor,
                     solver::BlockMatrix<double>& matrix) {
  gpu::for_each(matrix.device(), lumped.map().n_owned(),
                LumpedMassRow{lumped.view(), factor, lumped.block(), matrix_view(matrix)});
}

void add_lumped_inertia(const solver::Vector<double>& lumped, const solver::Vector<double>& a,
                        double factor, solver::Vector<double>& sum) {
  gpu::for_each(sum.device(), lumped.n_owned(),
                LumpedInertia{lumped.view(), a.view(), factor, sum.view()});
}

}  // namespace trestle::fem
