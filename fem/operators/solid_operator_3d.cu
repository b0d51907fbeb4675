// The cell operator of solids in three dimensions.
#include "fem/operators/solid_operator_of.hpp"

namespace trestle::fem {

std::unique_ptr<CellOperator> make_solid_operator_3d(const Discretisation& discretisation,
                                                     const MaterialData& data,
                                                     std::span<const double> curves,
                                                     Formulation formulation) {
  return std::make_unique<SolidOperatorOf<3>>(discretisation, data, curves, formulation);
}

}  // namespace trestle::fem
