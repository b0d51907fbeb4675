// Heat conduction by temperature over cells.
#include "fem/cells/quadrature.hpp"
#include "fem/materials/temperature_conduction.hpp"
#include "fem/operators/cell_operator_of.hpp"

namespace trestle::fem {

std::unique_ptr<CellOperator> make_temperature_conduction_operator(
    const Discretisation& discretisation, const MaterialData& data) {
  if (discretisation.mesh().dim == 2)
    return std::make_unique<CellOperatorOf<TemperatureConduction, Dispatch2d>>(discretisation,
                                                                               data);
  return std::make_unique<CellOperatorOf<TemperatureConduction, Dispatch3d>>(discretisation, data);
}

}  // namespace trestle::fem
