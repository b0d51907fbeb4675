// Advection, diffusion and reaction over cells.
#include "fem/cells/quadrature.hpp"
#include "fem/materials/advection.hpp"
#include "fem/operators/cell_operator_of.hpp"

namespace trestle::fem {

std::unique_ptr<CellOperator> make_advection_operator(const Discretisation& discretisation,
                                                      const MaterialData& data) {
  if (discretisation.mesh().dim == 2)
    return std::make_unique<CellOperatorOf<Advection, Dispatch2d>>(discretisation, data);
  return std::make_unique<CellOperatorOf<Advection, Dispatch3d>>(discretisation, data);
}

}  // namespace trestle::fem
