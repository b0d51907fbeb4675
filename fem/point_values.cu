#include "fem/point_values.hpp"

#include "gpu/for_each.hpp"

namespace trestle::fem {
namespace {

/// to[i * stride + component] = from[i], or a constant where from is empty.
struct Interleave {
  gpu::View<const double, 1> from;
  double constant;
  gpu::View<double, 1> to;
  Offset stride, component;

  TRESTLE_KERNEL void operator()(Offset i) const {
    to[i * stride + component] = from.data() != nullptr ? from[i] : constant;
  }
};

gpu::Array<double> places_of(const gpu::Device& device, const CellView& cells) {
  const Offset n = cells.nodes.extent(0) * cells.n_points();
  gpu::Array<double> places(device, 3 * n, "point values");
  gpu::for_each(device, n, PointPlaces{cells, {places.data(), n, 3}});
  return places;
}

}  // namespace

std::vector<double> point_places(const gpu::Device& device, const CellView& cells) {
  return gpu::download(places_of(device, cells));
}

gpu::Array<double> evaluate_at_points(const gpu::Device& device, const CellView& cells,
                                      std::span<const Expression> components, double time) {
  const Offset n = cells.nodes.extent(0) * cells.n_points();
  const auto width = static_cast<Offset>(components.size());
  gpu::Array<double> values(device, n * width, "point values");
  bool places_known = false;
  gpu::Array<double> places(device, 0, "point values");
  for (Offset d = 0; d < width; ++d) {
    const Expression& component = components[static_cast<std::size_t>(d)];
    gpu::Array<double> own(device, component.is_number() ? 0 : n, "point values");
    if (!component.is_number()) {
      if (!places_known) {
        places = places_of(device, cells);
        places_known = true;
      }
      evaluate(device, component, {places.data(), n, 3}, time, own.view());
    }
    const double constant = component.is_number() ? component.number() : 0.0;
    gpu::for_each(device, n, Interleave{own.view(), constant, values.view(), width, d});
  }
  return values;
}

}  // namespace trestle::fem
