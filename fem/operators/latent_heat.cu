#include "fem/operators/latent_heat.hpp"

#include "core/error.hpp"
#include "gpu/for_each.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::fem {
namespace {

struct MeltingView {
  gpu::View<const double, 2> heat;   // [material, local node] [J]
  gpu::View<const double, 2> range;  // [material, 2] solidus, liquidus [K]

  TRESTLE_KERNEL double content(Offset node, double T) const {
    double sum = 0;
    for (Offset m = 0; m < range.extent(0); ++m) {
      const double part = (T - range(m, 0)) / (range(m, 1) - range(m, 0));
      sum += heat(m, node) * (part < 0 ? 0 : part > 1 ? 1 : part);
    }
    return sum;
  }
  /// Slope on the side to which `up` points.
  TRESTLE_KERNEL double slope(Offset node, double T, bool up) const {
    double sum = 0;
    for (Offset m = 0; m < range.extent(0); ++m) {
      const bool melts =
          up ? T >= range(m, 0) && T < range(m, 1) : T > range(m, 0) && T <= range(m, 1);
      if (melts) sum += heat(m, node) / (range(m, 1) - range(m, 0));
    }
    return sum;
  }
  /// The next temperature at which the slope changes, or `far` where there is none.
  TRESTLE_KERNEL double next(double T, bool up, double far) const {
    double nearest = far;
    for (Offset i = 0; i < 2 * range.extent(0); ++i) {
      const double kink = range(i / 2, i % 2);
      if (up ? kink > T && kink < nearest : kink < T && kink > nearest) nearest = kink;
    }
    return nearest;
  }
};

struct NodeContent {
  MeltingView melting;
  gpu::View<const double, 1> temperature;  // [local node] [K]
  gpu::View<double, 1> w;                  // [local node] [J]
  TRESTLE_KERNEL void operator()(Offset node) const {
    w[node] = melting.content(node, temperature[node]);
  }
};

struct NodeSlope {
  MeltingView melting;
  gpu::View<const double, 1> temperature;  // [local node] [K]
  gpu::View<double, 1> slope;              // [local node] [J/K]
  TRESTLE_KERNEL void operator()(Offset node) const {
    slope[node] = melting.slope(node, temperature[node], true);
  }
};

/// Goes from T along H(T) until the heat of the correction is used up; H is piecewise linear.
struct LimitNode {
  MeltingView melting;
  gpu::View<const double, 1> capacity;     // [owned node] [J/K]
  gpu::View<const double, 1> temperature;  // [owned node] [K]
  gpu::View<double, 1> change;             // [owned node] [K]

  TRESTLE_KERNEL void operator()(Offset node) const {
    const double start = temperature[node], C = capacity[node];
    double T = start, heat = (C + melting.slope(node, T, true)) * change[node];
    const bool up = heat > 0;
    const double far = up ? 1e300 : -1e300;
    if (!(C > 0) || heat == 0 || !(heat < 1e300 && heat > -1e300)) return;
    for (Offset pieces = 0; pieces <= 2 * melting.range.extent(0); ++pieces) {
      const double slope = C + melting.slope(node, T, up), kink = melting.next(T, up, far);
      const double to_kink = slope * (kink - T);
      if (kink == far || (up ? heat <= to_kink : heat >= to_kink)) {
        T += heat / slope;
        break;
      }
      heat -= to_kink;
      T = kink;
    }
    change[node] = T - start;
  }
};

MeltingView view_of(const gpu::Array<double>& heat, const gpu::Array<double>& range) {
  const Offset n = range.size() / 2;
  return {{heat.data(), n, heat.size() / n}, {range.data(), n, 2}};
}

}  // namespace

LatentHeat::LatentHeat(std::vector<Melting> materials)
    : heat_(materials.front().heat.device(),
            static_cast<Offset>(materials.size()) * materials.front().heat.n_local(), "materials"),
      range_(materials.front().heat.device(), 0, "materials"),
      halo_(std::make_unique<gpu::Halo>(materials.front().heat.device(),
                                        materials.front().heat.shared_map(), 1)) {
  const gpu::Device& device = heat_.device();
  std::vector<double> range;
  for (std::size_t m = 0; m < materials.size(); ++m) {
    const solver::Vector<double>& heat = materials[m].heat;
    gpu::copy(device, heat.view(),
              {heat_.data() + static_cast<Offset>(m) * heat.n_local(), heat.n_local()});
    range.push_back(materials[m].solidus);
    range.push_back(materials[m].liquidus);
  }
  range_ = gpu::upload(device, range, "materials");
  device.synchronize();
}

void LatentHeat::content(const solver::Vector<double>& temperature,
                         solver::Vector<double>& w) const {
  gpu::for_each(w.device(), w.n_owned(),
                NodeContent{view_of(heat_, range_), temperature.view(), w.view()});
}

void LatentHeat::slope(const solver::Vector<double>& temperature,
                       solver::Vector<double>& slope) const {
  gpu::for_each(slope.device(), slope.n_owned(),
                NodeSlope{view_of(heat_, range_), temperature.view(), slope.view()});
}

void LatentHeat::limit(const solver::Vector<double>& capacity,
                       const solver::Vector<double>& temperature,
                       solver::Vector<double>& change) const {
  gpu::for_each(
      change.device(), change.n_owned(),
      LimitNode{view_of(heat_, range_), capacity.view(), temperature.view(), change.view()});
  halo_->update(change.view());
}

}  // namespace trestle::fem
