// Body loads on one CPU thread, for four cells at a time.
#include "fem/cells/dispatch.hpp"
#include "fem/host_expression.hpp"
#include "fem/operators/cell_lanes_of.hpp"

namespace trestle::fem {
namespace {

/// det J of each cell at point q; J as in map_point. That of simplices has their edges from node 0
/// for columns.
template <int n_nodes>
Lanes jacobian_determinant(const CellView& cells, const BasicVec3<Lanes>* x, int q) {
  BasicMat3<Lanes> J{};
  if (n_nodes == cells.dim + 1) {
    for (int d = 0; d < std::min(3, n_nodes - 1); ++d)
      for (int i = 0; i < 3; ++i) J(i, d) = x[d + 1][i] - x[0][i];
  } else {
    const double* dN = &cells.dN(q, 0, 0);
    for (int a = 0; a < n_nodes; ++a)
      J += outer(x[a], BasicVec3<Lanes>{dN[3 * a], dN[3 * a + 1], dN[3 * a + 2]});
  }
  if (cells.dim == 2) J(2, 2) = 1;
  return determinant(J);
}

/// Consecutive cells, four in a group, with their points group by group: at each point the values
/// of the four cells beside each other.
template <int n_nodes, int width>
class LoadChunk {
 public:
  LoadChunk(const gpu::Device& device, const CellView& cells,
            std::span<const Expression> components, const Expression& density, double time)
      : device_(device),
        cells_(cells),
        components_(components),
        density_(density),
        time_(time),
        n_groups_(std::max(1, points_of_chunk / (Lanes::n * cells.n_points()))),
        x_(static_cast<std::size_t>(n_groups_ * n_nodes)),
        uses_places_(!density.is_number()),
        own_(n_points()) {
    for (const Expression& component : components)
      uses_places_ = uses_places_ || !component.is_number();
    for (auto& place : places_) place.resize(uses_places_ ? n_points() : 0);
    for (auto& values : values_) values.resize(n_points());
  }

  Offset n_cells() const { return Offset{n_groups_} * Lanes::n; }
  /// sum += the loads of the cells from `first` to `end`, one after another.
  void add(Offset first, Offset end, solver::Vector<double>& sum) {
    place(first, end);
    evaluate(first, end);
    for (int group = 0; first + group * Lanes::n < end; ++group)
      integrate(group, LaneCells(first + group * Lanes::n, end), sum);
  }

 private:
  static constexpr int points_of_chunk = 1024;  // their values stay in the cache

  std::size_t n_points() const {
    return static_cast<std::size_t>(n_groups_ * Lanes::n * cells_.n_points());
  }
  std::size_t at(int group, int q) const {
    return static_cast<std::size_t>((group * cells_.n_points() + q) * Lanes::n);
  }

  [[gnu::flatten]] void place(Offset first, Offset end) {
    for (int group = 0; first + group * Lanes::n < end; ++group) {
      BasicVec3<Lanes>* x = x_.data() + group * n_nodes;
      LaneCells(first + group * Lanes::n, end).gather_places(cells_, n_nodes, x);
      for (int q = 0; uses_places_ && q < cells_.n_points(); ++q) {
        const BasicVec3<Lanes> place = place_of_point(cells_, x, q, n_nodes);
        for (int d = 0; d < 3; ++d) place[d].store(places_[d].data() + at(group, q));
      }
    }
  }

  /// The loads at the points of cells from `first` to `end`.
  void evaluate(Offset first, Offset end) {
    const auto n_groups = static_cast<int>((end - first + Lanes::n - 1) / Lanes::n);
    const std::size_t n = at(n_groups, 0);
    const auto set = [&](const Expression& expression, std::vector<double>& values) {
      if (expression.is_number()) return void(std::fill_n(values.begin(), n, expression.number()));
      const bool finite =
          evaluate_on_host(expression, {places_[0].data(), places_[1].data(), places_[2].data()},
                           time_, std::span(values).first(n));
      if (!finite) refuse(expression, first, end);
    };
    for (int d = 0; d < width; ++d) set(components_[static_cast<std::size_t>(d)], values_[d]);
    if (density_.is_number() && density_.number() == 1) return;
    set(density_, own_);
    for (std::vector<double>& values : values_)
      for (std::size_t i = 0; i < n; ++i) values[i] *= own_[i];
  }

  /// Throws for the first point in the order of the cells.
  void refuse(const Expression& expression, Offset first, Offset end) {
    std::vector<double> points, values(static_cast<std::size_t>((end - first) * cells_.n_points()));
    for (Offset c = 0; c < end - first; ++c)
      for (int q = 0; q < cells_.n_points(); ++q)
        for (const std::vector<double>& place : places_)
          points.push_back(place[at(static_cast<int>(c / Lanes::n), q) +
                                 static_cast<std::size_t>(c % Lanes::n)]);
    fem::evaluate(device_, expression, {points.data(), values.size(), 3}, time_,
                  {values.data(), values.size()});
  }

  [[gnu::flatten]] void integrate(int group, const LaneCells& lanes,
                                  solver::Vector<double>& sum) const {
    const bool affine = n_nodes == cells_.dim + 1;  // J is the same at all points of simplices
    const BasicVec3<Lanes>* x = x_.data() + group * n_nodes;
    Lanes f[n_nodes * width], determinant = 0;
    for (Lanes& entry : f) entry = 0;
    for (int q = 0; q < cells_.n_points(); ++q) {
      const double* N = &cells_.N(q, 0);
      if (q == 0 || !affine) determinant = jacobian_determinant<n_nodes>(cells_, x, q);
      const Lanes radius =
          cells_.section.axisymmetric ? place_of_point(cells_, x, q, n_nodes)[0] : 0.0;
      const Lanes dv = determinant * cells_.weights(q) * cells_.section.factor(radius);
      for (int d = 0; d < width; ++d) {
        const Lanes b = dv * Lanes::load(values_[d].data() + at(group, q));
        for (int a = 0; a < n_nodes; ++a) f[a * width + d] += N[a] * b;
      }
    }
    double* sums = sum.values().data();
    const Index n_owned = sum.map().n_owned();
    for (int l = 0; l < lanes.n(); ++l) {
      const Index* nodes = &cells_.nodes(lanes[l], 0);
#pragma GCC unroll 4
      for (int a = 0; a < n_nodes; ++a) {
        const Index node = nodes[a];
        if (node >= n_owned) continue;
        for (int d = 0; d < width; ++d) sums[Offset{node} * width + d] += f[a * width + d][l];
      }
    }
  }

  const gpu::Device& device_;
  const CellView& cells_;
  std::span<const Expression> components_;
  const Expression& density_;
  double time_;
  int n_groups_;
  std::vector<BasicVec3<Lanes>> x_;  // [group, node]
  bool uses_places_;
  std::vector<double> places_[3];      // [group, point, lane]
  std::vector<double> values_[width];  // the same
  std::vector<double> own_;            // the same, of the density
};

template <int n_nodes, int width>
void add_loads(LoadChunk<n_nodes, width> chunk, Offset n_cells, solver::Vector<double>& sum) {
  for (Offset first = 0; first < n_cells; first += chunk.n_cells())
    chunk.add(first, std::min(first + chunk.n_cells(), n_cells), sum);
}

}  // namespace

void add_body_load_in_lanes(const gpu::Device& device, const CellView& cells,
                            std::span<const Expression> components, const Expression& density,
                            double time, solver::Vector<double>& sum) {
  const auto work = [&]<int n_nodes>() {
    const auto add = [&](auto width) {
      add_loads<n_nodes, decltype(width)::value>({device, cells, components, density, time},
                                                 cells.nodes.extent(0), sum);
    };
    switch (components.size()) {
      case 1:
        return add(std::integral_constant<int, 1>());
      case 2:
        return add(std::integral_constant<int, 2>());
      default:
        return add(std::integral_constant<int, 3>());
    }
  };
  const int n_nodes = static_cast<int>(cells.nodes.extent(1));
  if (cells.dim == 2)
    Dispatch2d::call(n_nodes, work);
  else
    Dispatch3d::call(n_nodes, work);
}

}  // namespace trestle::fem
