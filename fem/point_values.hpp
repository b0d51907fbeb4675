// Values of a case at the quadrature points of cells or facets.
#pragma once

#include <span>

#include "fem/discretisation.hpp"
#include "fem/expression.hpp"

namespace trestle::fem {

/// values [entity, point, component] of `components` at the points of `cells`, at `time`. Throws
/// NumericalError (81) where a value is not finite.
gpu::Array<double> evaluate_at_points(const gpu::Device& device, const CellView& cells,
                                      std::span<const Expression> components, double time = 0);

/// [entity * point, 3] places of the points, on the host. [m]
std::vector<double> point_places(const gpu::Device& device, const CellView& cells);

}  // namespace trestle::fem
