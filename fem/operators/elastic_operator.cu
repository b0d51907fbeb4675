// Elasticity over cells.
#include "fem/cells/quadrature.hpp"
#include "fem/materials/isotropic_elastic.hpp"
#include "fem/operators/cell_operator_of.hpp"

namespace trestle::fem {

std::unique_ptr<CellOperator> make_elastic_operator(const Discretisation& discretisation,
                                                    const MaterialData& data) {
  if (discretisation.mesh().dim == 2)
    return std::make_unique<CellOperatorOf<IsotropicElastic<2>, Dispatch2d>>(discretisation, data);
  return std::make_unique<CellOperatorOf<IsotropicElastic<3>, Dispatch3d>>(discretisation, data);
}

}  // namespace trestle::fem
