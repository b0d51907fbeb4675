#include "fem/point_values.hpp"

#include "fem/operators/cell_lanes.hpp"
#include "gpu/for_each.hpp"

namespace trestle::fem {
namespace {

/// to[i, component] = from[i], or a constant where from is empty; with `multiply` times what stands
/// there.
struct SetComponent {
  gpu::View<const double, 1> from;
  double constant;
  gpu::View<double, 1> to;
  Offset width, component;
  bool multiply;

  TRESTLE_KERNEL void operator()(Offset i) const {
    double& value = to[i * width + component];
    value = (multiply ? value : 1.0) * (from.data() != nullptr ? from[i] : constant);
  }
};

void find_places(const gpu::Device& device, const CellView& cells, gpu::View<double, 2> places) {
  const PointPlaces kernel{cells, places};
  if (scatters(device))
    point_places_in_lanes(kernel);
  else
    gpu::for_each(device, places.extent(0), kernel);
}

}  // namespace

PointValues::PointValues(const gpu::Device& device, std::span<const Expression> components,
                         const Expression& factor)
    : device_(device),
      components_(components.begin(), components.end()),
      factor_(factor),
      uses_places_(!factor_.is_number()),
      places_(device, 0, "point values"),
      own_(device, 0, "point values"),
      values_(device, 0, "point values") {
  for (const Expression& component : components_)
    uses_places_ = uses_places_ || !component.is_number();
}

void PointValues::reserve(Offset n) {
  const auto width = static_cast<Offset>(components_.size());
  if (values_.size() >= n * width) return;
  values_ = gpu::Array<double>(device_, n * width, "point values");
  if (!uses_places_) return;
  places_ = gpu::Array<double>(device_, 3 * n, "point values");
  own_ = gpu::Array<double>(device_, n, "point values");
}

gpu::View<const double, 3> PointValues::evaluate(const CellView& cells, double time) {
  const Offset n = cells.nodes.extent(0) * cells.n_points();
  const auto width = static_cast<Offset>(components_.size());
  reserve(n);
  const gpu::View<double, 2> places(places_.data(), uses_places_ ? n : 0, 3);
  if (uses_places_) find_places(device_, cells, places);
  const bool one = factor_.is_number() && factor_.number() == 1;
  const gpu::View<double, 3> values(values_.data(), cells.nodes.extent(0), cells.n_points(), width);
  if (width == 1 && one && uses_places_) {
    fem::evaluate(device_, components_[0], places, time, {values_.data(), n});
    return values;
  }
  const auto set = [&](const Expression& expression, Offset first, Offset end, bool multiply) {
    gpu::View<const double, 1> from;
    if (!expression.is_number()) {
      fem::evaluate(device_, expression, places, time, {own_.data(), n});
      from = {own_.data(), n};
    }
    const double constant = expression.is_number() ? expression.number() : 0.0;
    for (Offset d = first; d < end; ++d)
      gpu::for_each(device_, n, SetComponent{from, constant, values_.view(), width, d, multiply});
  };
  for (Offset d = 0; d < width; ++d) set(components_[static_cast<std::size_t>(d)], d, d + 1, false);
  if (!one) set(factor_, 0, width, true);
  return values;
}

gpu::Array<double> evaluate_at_points(const gpu::Device& device, const CellView& cells,
                                      std::span<const Expression> components, double time) {
  PointValues values(device, components);
  values.evaluate(cells, time);
  return values.take();
}

std::vector<double> point_places(const gpu::Device& device, const CellView& cells) {
  const Offset n = cells.nodes.extent(0) * cells.n_points();
  gpu::Array<double> places(device, 3 * n, "point values");
  find_places(device, cells, {places.data(), n, 3});
  return gpu::download(places);
}

}  // namespace trestle::fem
