// CellLanes for one material; included by the .cpp file that instantiates it.
#pragma once

#include <algorithm>

#include "fem/column_search.hpp"
#include "fem/operators/cell_lanes.hpp"
#include "fem/operators/lanes.hpp"

namespace trestle::fem {

/// Up to four consecutive cells; where there are fewer, the last one fills the other lanes.
class LaneCells {
 public:
  LaneCells(Offset first, Offset end)
      : n_(static_cast<int>(std::min<Offset>(end - first, Lanes::n))) {
    for (int l = 0; l < Lanes::n; ++l) cells_[l] = first + std::min(l, n_ - 1);
  }
  int n() const { return n_; }
  Offset operator[](int lane) const { return cells_[lane]; }

  /// value(cell) of each lane.
  template <class Value>
  Lanes gather(const Value& value) const {
    return Lanes::of([&](int l) { return value(cells_[l]); });
  }
  /// x [node] of every cell [m].
  void gather_places(const CellView& cells, int n_nodes, BasicVec3<Lanes>* x) const {
    for (int a = 0; a < n_nodes; ++a) {
      const double* place[Lanes::n];
      for (int l = 0; l < Lanes::n; ++l)
        place[l] = cells.x.data() + 3 * Offset{cells.nodes(cells_[l], a)};
      for (int d = 0; d < 3; ++d) x[a][d] = Lanes::of([&](int l) { return place[l][d]; });
    }
  }

 private:
  int n_;
  Offset cells_[Lanes::n];
};

/// Places of point q of each cell, whose nodes lie at x.
inline BasicVec3<Lanes> place_of_point(const CellView& cells, const BasicVec3<Lanes>* x, int q,
                                       int n_nodes) {
  const double* N = &cells.N(q, 0);
  BasicVec3<Lanes> place{};
  for (int a = 0; a < n_nodes; ++a) place += N[a] * x[a];
  return place;
}

/// map_point of four linear tetrahedra with nodes at x: the columns of J are their edges from node
/// 0, the gradients of the other nodes the rows of its inverse.
template <class S>
CellPoint<4, Lanes, S> map_tetrahedra(const CellView& cells, const BasicVec3<Lanes>* x, int q) {
  BasicMat3<Lanes> J;
  for (int d = 0; d < 3; ++d)
    for (int i = 0; i < 3; ++i) J(i, d) = x[d + 1][i] - x[0][i];
  const BasicMat3<Lanes> inverse_J = inverse(J);
  CellPoint<4, Lanes, S> point;
  point.dv = determinant(J) * cells.weights(q) * cells.section.factor(Lanes(0.0));
  for (int a = 1; a < 4; ++a)
    point.shape[a].grad = {inverse_J(a - 1, 0), inverse_J(a - 1, 1), inverse_J(a - 1, 2)};
  point.shape[0].grad = -1.0 * (point.shape[1].grad + point.shape[2].grad + point.shape[3].grad);
  for (int a = 0; a < 4; ++a) point.shape[a].N = cells.N(q, a);
  return point;
}

/// map_point of four cells with nodes at x, but for the place of the point, which nobody asks for.
template <int n_nodes, class S>
CellPoint<n_nodes, Lanes, S> map_point_of(const CellView& cells, const BasicVec3<Lanes>* x, int q) {
  if constexpr (n_nodes == 4 && std::is_same_v<S, BasicShape<Lanes>>)
    if (cells.dim == 3) return map_tetrahedra<S>(cells, x, q);
  return map_point<n_nodes, Lanes, S>(
      cells, [&](int a) -> const BasicVec3<Lanes>& { return x[a]; }, q, n_nodes);
}

/// The material at point q of every cell.
template <class Material>
typename Material::template In<Lanes> material_at(const LaneCells& lanes,
                                                  const MaterialView& parameters, int q) {
  Lanes values[Material::n_parameters];
  const double* of_cell[Lanes::n];
  for (int l = 0; l < Lanes::n; ++l) of_cell[l] = parameters(lanes[l], q);
  for (int k = 0; k < Material::n_parameters; ++k)
    values[k] = Lanes::of([&](int l) { return of_cell[l][k]; });
  return typename Material::template In<Lanes>(values);
}

/// The blocks of a cell matrix that are stored: all, or the upper half of a symmetric one.
template <int n, bool symmetric>
struct CellBlocks {
  static constexpr int count = symmetric ? n * (n + 1) / 2 : n * n;
  int a[count], b[count];  // of each block
  constexpr CellBlocks() : a(), b() {
    for (int row = 0, k = 0; row < n; ++row)
      for (int column = symmetric ? row : 0; column < n; ++column, ++k) a[k] = row, b[k] = column;
  }
  /// Position of block (a, b), a <= b where symmetric.
  static constexpr int at(int a, int b) {
    return symmetric ? a * n - a * (a - 1) / 2 + b - a : a * n + b;
  }
};

/// Adds a block of K of one lane, or its transpose, to an entry of the matrix.
template <int n_components, bool transposed = false>
void add_block(const Lanes* block, int lane, double* entry) {
  for (int i = 0; i < n_components; ++i)
    for (int j = 0; j < n_components; ++j)
      entry[i * n_components + j] +=
          block[transposed ? j * n_components + i : i * n_components + j][lane];
}

/// Where up to four cells add the upper half of a symmetric K: found before their K is known, so
/// that a processor does not wait for the one with the other.
template <int n_nodes>
class UpperHalves {
 public:
  UpperHalves(const LaneCells& lanes, const CellMatrices& sum) : upper_(nodes_of(lanes, sum)) {
    for (int l = 0; l < lanes.n(); ++l)
      if (upper_.highest_node(l) < sum.matrix.n_owned)
        find<true>(l, sum);
      else
        find<false>(l, sum);
  }

  /// Adds the blocks of one lane, each pair of nodes once, in the row of the lower one.
  template <int n_components>
  void add(const Lanes* K, int lane, double* values) const {
    constexpr int width = n_components * n_components;
#pragma GCC unroll 6
    for (int a = 0; a < n_nodes; ++a)
      if (const Offset entry = diagonal_[a][lane]; entry >= 0)
        add_block<n_components>(K + Blocks::at(a, a) * width, lane, values + entry * width);
#pragma GCC unroll 6
    for (int p = 0; p < pairs.count; ++p) {
      const Offset entry = entries_[p][lane];
      if (entry < 0) continue;
      const Lanes* block = K + Blocks::at(pairs.a[p], pairs.b[p]) * width;
      if (n_components > 1 && upper_.row(p, lane) != upper_.node(pairs.a[p], lane))
        add_block<n_components, true>(block, lane, values + entry * width);
      else
        add_block<n_components>(block, lane, values + entry * width);
    }
  }

 private:
  using Blocks = CellBlocks<n_nodes, true>;
  using Entries = Offset[Lanes::n];
  static constexpr NodePairs<n_nodes> pairs{};

  static UpperEntries<n_nodes> nodes_of(const LaneCells& lanes, const CellMatrices& sum) {
    const auto nodes = [&](int l) { return &sum.cells.nodes(lanes[l], 0); };
    return UpperEntries<n_nodes>({nodes(0), nodes(1), nodes(2), nodes(3)});
  }
  /// Entries of rows that are not owned become -1; all_owned: there is none.
  template <bool all_owned>
  void find(int lane, const CellMatrices& sum) {
    const Index n_owned = sum.matrix.n_owned;
    const Index* columns = sum.matrix.columns.data();
    const Offset *ends = sum.matrix.owned_offsets.data() + 1, *diagonal = sum.diagonal.data();
#pragma GCC unroll 6
    for (int a = 0; a < n_nodes; ++a) {
      const Index node = upper_.node(a, lane);
      diagonal_[a][lane] = all_owned || node < n_owned ? diagonal[node] : -1;
    }
#pragma GCC unroll 6
    for (int p = 0; p < pairs.count; ++p) {
      const Index row = upper_.row(p, lane), column = upper_.column(p, lane);
      if (all_owned)
        entries_[p][lane] = find_last(columns, ends[row], column);
      else
        entries_[p][lane] = row < n_owned ? find_entry(sum.matrix, row, column) : -1;
    }
  }

  UpperEntries<n_nodes> upper_;
  Entries diagonal_[n_nodes], entries_[pairs.count];
};

/// The same for a K that is not symmetric, with all its blocks.
template <int n_nodes>
class WholeMatrices {
 public:
  WholeMatrices(const LaneCells& lanes, const CellMatrices& sum) : lanes_(lanes), sum_(sum) {}

  template <int n_components>
  void add(const Lanes* K, int lane, double* values) const {
    constexpr int width = n_components * n_components;
    const Index* nodes = &sum_.cells.nodes(lanes_[lane], 0);
    for (int a = 0; a < n_nodes; ++a)
      for (int b = 0; b < n_nodes && nodes[a] < sum_.matrix.n_owned; ++b)
        add_block<n_components>(K + CellBlocks<n_nodes, false>::at(a, b) * width, lane,
                                values + find_entry(sum_.matrix, nodes[a], nodes[b]) * width);
  }

 private:
  const LaneCells& lanes_;
  const CellMatrices& sum_;
};

/// u [node, component] of every cell.
template <int n_nodes, int width>
void gather_values(const LaneCells& lanes, const CellView& cells, gpu::View<const double, 2> u,
                   Lanes* local) {
  for (int a = 0; a < n_nodes; ++a)
    for (int d = 0; d < width; ++d)
      local[a * width + d] = lanes.gather([&](Offset c) { return u(cells.nodes(c, a), d); });
}

/// Stores local [node, component] of every cell in values [cell, node, component], from `first` on.
template <int n_nodes, int width>
void store_values(const LaneCells& lanes, const Lanes* local, Offset first,
                  gpu::View<double, 3> values) {
  for (int l = 0; l < lanes.n(); ++l) {
    double* of_cell = &values(first + l, 0, 0);
    for (int i = 0; i < n_nodes * width; ++i) of_cell[i] = local[i][l];
  }
}

template <class Material, int n_nodes>
[[gnu::flatten]] void CellLanes<Material, n_nodes>::add_stiffness(const CellMatrices& sum) {
  using Blocks = CellBlocks<n_nodes, Material::symmetric>;
  using Targets =
      std::conditional_t<Material::symmetric, UpperHalves<n_nodes>, WholeMatrices<n_nodes>>;
  constexpr int n_components = Material::n_components, width = n_components * n_components;
  const CellView& cells = sum.cells;
  const Offset n_cells = cells.nodes.extent(0);
  for (Offset first = 0; first < n_cells; first += Lanes::n) {
    const LaneCells lanes(first, n_cells);
    const Targets targets(lanes, sum);
    BasicVec3<Lanes> x[n_nodes];
    lanes.gather_places(cells, n_nodes, x);
    Lanes u[n_nodes * n_components];
    if constexpr (!Material::linear) gather_values<n_nodes, n_components>(lanes, cells, sum.u, u);
    Lanes K[Blocks::count * width];
    for (Lanes& entry : K) entry = 0;
    for (int q = 0; q < cells.n_points(); ++q) {
      const auto point = map_point_of<n_nodes, ShapeFor<Material, Lanes>>(cells, x, q);
      Lanes thermal = 0;
      if constexpr (!Material::linear)
        thermal = lanes.gather([&](Offset c) { return sum.thermal(c, q); });
      const auto tangent = tangent_at(material_at<Material>(lanes, sum.parameters, q), point.shape,
                                      n_nodes, static_cast<const Lanes*>(u), thermal);
      static constexpr Blocks blocks;
#pragma GCC unroll 10
      for (int k = 0; k < Blocks::count; ++k)
        tangent.tangent(point.shape[blocks.a[k]], point.shape[blocks.b[k]], point.dv,
                        K + k * width);
    }
    double* values = sum.matrix.values.data();
    for (int l = 0; l < lanes.n(); ++l) targets.template add<n_components>(K, l, values);
  }
}

template <class Material, int n_nodes>
[[gnu::flatten]] void CellLanes<Material, n_nodes>::internal_force(const InternalForce<Material>& kernel) {
  constexpr int width = Material::n_components;
  const CellView& cells = kernel.cells;
  const Offset end = kernel.first + kernel.force.extent(0);
  for (Offset start = kernel.first; start < end; start += Lanes::n) {
    const LaneCells lanes(start, end);
    BasicVec3<Lanes> x[n_nodes];
    lanes.gather_places(cells, n_nodes, x);
    Lanes u[n_nodes * width], f[n_nodes * width] = {};
    gather_values<n_nodes, width>(lanes, cells, kernel.u, u);
    for (int q = 0; q < cells.n_points(); ++q) {
      const auto point = map_point_of<n_nodes, ShapeFor<Material, Lanes>>(cells, x, q);
      const auto material = material_at<Material>(lanes, kernel.parameters, q);
      const Lanes thermal = lanes.gather([&](Offset c) { return kernel.thermal(c, q); });
      const auto flux = material.flux(point.shape, n_nodes, u, thermal);
      for (int a = 0; a < n_nodes; ++a)
        material.project(flux, point.shape[a], point.dv, f + a * width);
    }
    store_values<n_nodes, width>(lanes, f, start - kernel.first, kernel.force);
  }
}

}  // namespace trestle::fem
