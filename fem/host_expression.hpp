// Expressions at places that lie in host memory.
#pragma once

#include <span>

#include "fem/expression.hpp"

namespace trestle::fem {

/// As `evaluate`, x, y and z in arrays of their own, without throwing: returns whether all values
/// are finite.
bool evaluate_on_host(const Expression& expression, const double* const (&places)[3], double time,
                      std::span<double> values);

}  // namespace trestle::fem
