// Values at quadrature points that follow from the temperature: parameters of materials and their
// slopes, at the points of a rule.
#pragma once

#include <span>

#include "fem/discretisation.hpp"
#include "fem/expression.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::fem {

/// A scalar field u at the points of a rule, [entity, point]; the ghosts of u are up to date.
gpu::Array<double> interpolate(const Discretisation& discretisation, const EntityBlock& block,
                               const RuleData& rule, const solver::Vector<double>& u);

/// The cells of one material in a block.
struct MaterialCells {
  gpu::View<const Index, 1> material;  // [cell]
  Index chosen;                        // material whose cells are written
};

/// field[cell, point, k] = expression k, and field[cell, point, n + k] = its slope by the
/// temperature, at the cells of one material and the points of `rule`, where the temperatures are
/// `temperatures` [cell, point] [K]. Throws NumericalError (81) where a value is not finite, or not
/// above `lower`, naming the expression and the temperature. Collective errors are the caller's.
void evaluate_by_temperature(const Discretisation& discretisation, const EntityBlock& block,
                             const RuleData& rule, const MaterialCells& cells,
                             std::span<const Expression> expressions, double lower,
                             const gpu::Array<double>& temperatures, gpu::Array<double>& field);

/// The values between two bounds.
struct OpenRange {
  double lower, upper;
};
/// Where a value of each point stands: component k of `width`.
struct FieldPlace {
  int width, component;
};
/// field[cell, point, place] = expression, at the cells of one material. Throws as
/// evaluate_by_temperature where a value is not in the range.
void evaluate_component(const Discretisation& discretisation, const EntityBlock& block,
                        const RuleData& rule, const MaterialCells& cells,
                        const Expression& expression, const OpenRange& range,
                        const gpu::Array<double>& temperatures, const FieldPlace& place,
                        gpu::Array<double>& field);

/// to[i] = from[i, k], for `width` values per point.
void copy_component(const gpu::Device& device, const gpu::Array<double>& from, int width, int k,
                    gpu::Array<double>& to);
/// to[i] *= from[i, k].
void multiply_by_component(const gpu::Device& device, const gpu::Array<double>& from, int width,
                           int k, gpu::Array<double>& to);

}  // namespace trestle::fem
