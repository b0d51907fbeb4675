// Values of a case at the quadrature points of cells or facets.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "fem/discretisation.hpp"
#include "fem/expression.hpp"

namespace trestle::fem {

/// `components` times `factor` at the quadrature points of cells or facets, chunk after chunk in
/// one workspace.
class PointValues {
 public:
  PointValues(const gpu::Device& device, std::span<const Expression> components,
              const Expression& factor = Expression(1.0));

  /// [entity, point, component] at the points of `cells`, at `time`; valid until the next call.
  /// Throws NumericalError (81) where a value is not finite.
  gpu::View<const double, 3> evaluate(const CellView& cells, double time = 0);
  /// The values themselves, which no other call changes.
  gpu::Array<double> take() { return std::move(values_); }

 private:
  void reserve(Offset n);

  gpu::Device device_;
  std::vector<Expression> components_;
  Expression factor_;
  bool uses_places_;
  gpu::Array<double> places_;  // [point, 3]
  gpu::Array<double> own_;     // [point] of one expression
  gpu::Array<double> values_;  // [point, component]
};

/// [entity, point, component] of all entities at once.
gpu::Array<double> evaluate_at_points(const gpu::Device& device, const CellView& cells,
                                      std::span<const Expression> components, double time = 0);

/// [entity * point, 3] places of the points, on the host. [m]
std::vector<double> point_places(const gpu::Device& device, const CellView& cells);

}  // namespace trestle::fem
