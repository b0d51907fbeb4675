// Flow through porous media over cells.
#include "fem/cells/quadrature.hpp"
#include "fem/materials/porous_flow.hpp"
#include "fem/operators/cell_operator_of.hpp"

namespace trestle::fem {

std::unique_ptr<CellOperator> make_porous_flow_operator(const Discretisation& discretisation,
                                                        const MaterialData& data) {
  if (discretisation.mesh().dim == 2)
    return std::make_unique<CellOperatorOf<PorousFlow, Dispatch2d>>(discretisation, data);
  return std::make_unique<CellOperatorOf<PorousFlow, Dispatch3d>>(discretisation, data);
}

}  // namespace trestle::fem
