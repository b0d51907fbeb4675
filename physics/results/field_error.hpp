// The error of a field whose exact solution is known.
#pragma once

#include <vector>

#include "physics/analysis.hpp"

namespace trestle::physics {

struct FieldError {
  double error = 0;      // L2 norm of u - exact over the body
  double exact = 0;      // L2 norm of exact
  double cell_size = 0;  // (measure of the body / cells)^(1 / dim) [m]; without thickness and angle
};

/// Of u, an expression for each of its components, at a time [s]. Integrated with the degree 5, or
/// 7 on second-order cells, above that of the square of their own error. Throws Error(81)
/// where the exact solution is not finite. Collective.
FieldError field_error(const Analysis& analysis, const solver::Vector<double>& u,
                       const std::vector<fem::Expression>& exact, double time);

}  // namespace trestle::physics
