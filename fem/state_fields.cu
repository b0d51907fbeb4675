#include "fem/state_fields.hpp"

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/number.hpp"
#include "fem/point_values.hpp"
#include "gpu/for_each.hpp"

namespace trestle::fem {
namespace {

struct Interpolate {
  CellView cells;
  gpu::View<const double, 1> u;  // [local node]
  gpu::View<double, 1> values;   // [cell * point]

  TRESTLE_KERNEL void operator()(Offset i) const {
    const Offset c = i / cells.n_points();
    const int q = static_cast<int>(i % cells.n_points());
    double value = 0;
    for (Offset a = 0; a < cells.nodes.extent(1); ++a)
      value += cells.N(q, a) * u[cells.nodes(c, a)];
    values[i] = value;
  }
};

/// Value and, where it has a place, slope to their places, at the cells of one material; failed[0]
/// where a value is not in the range.
struct StoreField {
  gpu::View<const Index, 1> material;  // [cell]
  Index chosen;
  int n_points;
  gpu::View<const double, 1> values, slopes;  // [cell * point]
  OpenRange range;
  Offset width, component, slope_component;  // slope: -1 for none
  gpu::View<double, 1> field;                // [cell * point, width]
  gpu::View<int, 1> failed;                  // [1]

  TRESTLE_KERNEL void operator()(Offset i) const {
    if (material[i / n_points] != chosen) return;
    field[i * width + component] = values[i];
    if (slope_component >= 0) field[i * width + slope_component] = slopes[i];
    if (!(values[i] > range.lower && values[i] < range.upper)) failed[0] = 1;
  }
};

/// to[i] = from[i, component], or times that.
struct TakeComponent {
  gpu::View<const double, 1> from;
  Offset width, component;
  bool multiplies;
  gpu::View<double, 1> to;
  TRESTLE_KERNEL void operator()(Offset i) const {
    to[i] = from[i * width + component] * (multiplies ? to[i] : 1.0);
  }
};

std::string range_words(const OpenRange& range) {
  if (std::isinf(range.lower)) return "it must be finite";
  if (std::isinf(range.upper)) return "it must be above " + format_number(range.lower);
  return "it must lie between " + format_number(range.lower) + " and " + format_number(range.upper);
}

[[noreturn]] void report_outside(const Expression& expression, const MaterialCells& cells,
                                 int n_points, const gpu::Array<double>& temperatures,
                                 const gpu::Array<double>& values, const OpenRange& range) {
  const std::vector<double> at = gpu::download(temperatures), value = gpu::download(values);
  std::vector<Index> material(static_cast<std::size_t>(cells.material.size()));
  temperatures.device().copy_to_host(material.data(), cells.material.data(),
                                     material.size() * sizeof(Index));
  temperatures.device().synchronize();
  for (std::size_t i = 0; i < value.size(); ++i)
    if (material[i / static_cast<std::size_t>(n_points)] == cells.chosen &&
        !(value[i] > range.lower && value[i] < range.upper))
      throw NumericalError(
          ExitCode::not_a_number,
          to_string(expression.where()) + ": " + expression.words_of(value[i]) +
              " at T = " + format_number(at[i]) + " K; " + range_words(range) +
              ": give it a range that covers the temperatures of the model, as with max(.., ..)");
  throw Error(ExitCode::bug, "a field by temperature is outside its range nowhere");
}

/// The places of the points of a block [point, 3] where one of the expressions uses them, else
/// none.
gpu::Array<double> needed_places(const Discretisation& discretisation, const EntityBlock& block,
                                 const RuleData& rule, std::span<const Expression> expressions) {
  for (const Expression& expression : expressions)
    if (expression.uses_place())
      return gpu::upload(discretisation.device(),
                         point_places(discretisation.device(), discretisation.view(block, rule)),
                         "material fields");
  return gpu::Array<double>(discretisation.device(), 0, "material fields");
}

}  // namespace

gpu::Array<double> interpolate(const Discretisation& discretisation, const EntityBlock& block,
                               const RuleData& rule, const solver::Vector<double>& u) {
  const gpu::Device& device = discretisation.device();
  gpu::Array<double> values(device, block.n_entities * rule.n_points, "material fields");
  gpu::for_each(device, values.size(),
                Interpolate{discretisation.view(block, rule), u.view(), values.view()});
  return values;
}

void evaluate_by_temperature(const Discretisation& discretisation, const EntityBlock& block,
                             const RuleData& rule, const MaterialCells& cells,
                             std::span<const Expression> expressions, double lower,
                             const gpu::Array<double>& temperatures, gpu::Array<double>& field) {
  const gpu::Device& device = discretisation.device();
  const Offset n = temperatures.size();
  const auto n_values = static_cast<Offset>(expressions.size());
  const OpenRange range{lower, std::numeric_limits<double>::infinity()};
  const gpu::Array<double> places = needed_places(discretisation, block, rule, expressions);
  gpu::Array<double> values(device, n, "material fields"), slopes(device, n, "material fields");
  for (Offset k = 0; k < n_values; ++k) {
    const Expression& expression = expressions[static_cast<std::size_t>(k)];
    evaluate_with_slope(device, expression, {places.data(), places.size() / 3, 3}, 0,
                        temperatures.view(), values.view(), slopes.view());
    auto failed = gpu::upload(device, std::vector<int>{0}, "material fields");
    gpu::for_each(device, n,
                  StoreField{cells.material, cells.chosen, rule.n_points,
                             std::as_const(values).view(), std::as_const(slopes).view(), range,
                             2 * n_values, k, n_values + k, field.view(), failed.view()});
    if (gpu::read(failed)[0] != 0)
      report_outside(expression, cells, rule.n_points, temperatures, values, range);
  }
}

void evaluate_component(const Discretisation& discretisation, const EntityBlock& block,
                        const RuleData& rule, const MaterialCells& cells,
                        const Expression& expression, const OpenRange& range,
                        const gpu::Array<double>& temperatures, const FieldPlace& place,
                        gpu::Array<double>& field) {
  const gpu::Device& device = discretisation.device();
  const Offset n = temperatures.size();
  const gpu::Array<double> places =
      needed_places(discretisation, block, rule, std::span(&expression, 1));
  gpu::Array<double> values(device, n, "material fields"), slopes(device, n, "material fields");
  evaluate_with_slope(device, expression, {places.data(), places.size() / 3, 3}, 0,
                      temperatures.view(), values.view(), slopes.view());
  auto failed = gpu::upload(device, std::vector<int>{0}, "material fields");
  gpu::for_each(device, n,
                StoreField{cells.material, cells.chosen, rule.n_points,
                           std::as_const(values).view(), std::as_const(slopes).view(), range,
                           place.width, place.component, -1, field.view(), failed.view()});
  if (gpu::read(failed)[0] != 0)
    report_outside(expression, cells, rule.n_points, temperatures, values, range);
}

void copy_component(const gpu::Device& device, const gpu::Array<double>& from, int width, int k,
                    gpu::Array<double>& to) {
  gpu::for_each(device, to.size(), TakeComponent{from.view(), width, k, false, to.view()});
}

void multiply_by_component(const gpu::Device& device, const gpu::Array<double>& from, int width,
                           int k, gpu::Array<double>& to) {
  gpu::for_each(device, to.size(), TakeComponent{from.view(), width, k, true, to.view()});
}

}  // namespace trestle::fem
