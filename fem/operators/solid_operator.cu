#include "fem/operators/solid_operator.hpp"

#include "fem/operators/solid_operator_of.hpp"

namespace trestle::fem {

int dilatation_modes(mesh::CellType type, Formulation formulation) {
  if (formulation == Formulation::standard) return 0;
  const mesh::CellTraits& traits = mesh::traits(type);
  const bool box = traits.linear == mesh::CellType::quad4 || traits.linear == mesh::CellType::hex8;
  if (traits.order == 1 && (type == mesh::CellType::tri3 || type == mesh::CellType::tet4)) return 0;
  return traits.order == 2 && box ? traits.dim + 1 : 1;
}

std::unique_ptr<CellOperator> make_solid_operator(const Discretisation& discretisation,
                                                  const MaterialData& data,
                                                  std::span<const double> curves,
                                                  Formulation formulation) {
  if (discretisation.mesh().dim == 3)
    return make_solid_operator_3d(discretisation, data, curves, formulation);
  return std::make_unique<SolidOperatorOf<2>>(discretisation, data, curves, formulation);
}

}  // namespace trestle::fem
