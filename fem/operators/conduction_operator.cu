// Heat conduction over cells.
#include "fem/cells/quadrature.hpp"
#include "fem/materials/conduction.hpp"
#include "fem/operators/cell_operator_of.hpp"

namespace trestle::fem {

std::unique_ptr<CellOperator> make_conduction_operator(const Discretisation& discretisation,
                                                       const MaterialData& data) {
  if (discretisation.mesh().dim == 2)
    return std::make_unique<CellOperatorOf<Conduction, Dispatch2d>>(discretisation, data);
  return std::make_unique<CellOperatorOf<Conduction, Dispatch3d>>(discretisation, data);
}

}  // namespace trestle::fem
