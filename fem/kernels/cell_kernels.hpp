// The kernels over cells: rows of the matrix, internal forces, body loads, and fluxes at nodes.
#pragma once

#include <cstdint>

#include "fem/cells/geometry.hpp"

namespace trestle::fem {

/// Parameters of materials: a row per material, or a value per quadrature point where one is an
/// expression.
struct MaterialView {
  gpu::View<const Index, 1> material;  // [cell]
  gpu::View<const double, 2> table;    // [material, parameter]
  gpu::View<const double, 3> field;    // [cell, point, parameter], or empty

  TRESTLE_KERNEL const double* operator()(Offset c, int q) const {
    return field.data() != nullptr ? &field(c, q, 0) : &table(material[c], 0);
  }
};

/// Free thermal strain alpha (T - T_ref) at quadrature points; empty: none.
struct ThermalView {
  gpu::View<const double, 2> strain;  // [cell, point]
  TRESTLE_KERNEL double operator()(Offset c, int q) const {
    return strain.data() != nullptr ? strain(c, q) : 0.0;
  }
};

/// The cells around each owned node: slots cell * n_nodes + local node, ascending.
struct NodeCells {
  gpu::View<const Offset, 1> offsets;  // [owned node + 1]
  gpu::View<const Index, 1> slots;
};

/// The places of the columns of each cell in the rows of its nodes (matrix_layout.hpp).
using PlacesView = gpu::View<const std::uint16_t, 3>;  // [cell, node of row, node of column]

/// Where a matrix keeps the block of (row, column).
struct MatrixView {
  gpu::View<const Offset, 1> owned_offsets;  // [owned node + 1]
  gpu::View<const Offset, 1> ghost_offsets;  // [owned node + 1]
  gpu::View<const Index, 1> columns;
  gpu::View<double, 1> values;  // [entry, component, component]
  Index n_owned = 0;

  /// Entry of the column at `place` in a row: owned ones first, then ghosts.
  TRESTLE_KERNEL Offset entry_at(Offset row, int place) const {
    const Offset owned = owned_offsets[row] + place, end = owned_offsets[row + 1];
    return owned < end ? owned : ghost_offsets[row] + (owned - end);
  }
  /// Entry of (row, column) by binary search; the entry is in the pattern.
  TRESTLE_KERNEL Offset entry(Offset row, Index column) const {
    const gpu::View<const Offset, 1>& offsets = column < n_owned ? owned_offsets : ghost_offsets;
    Offset low = offsets[row], high = offsets[row + 1] - 1;
    while (low < high) {
      const Offset middle = (low + high) / 2;
      if (columns[middle] < column)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// The tangent of a material at a point: the material itself where it is linear, else what it is
/// at u [node, component].
template <class Material, class S, class T>
TRESTLE_KERNEL auto tangent_at(const Material& material, const S* shape, int n_nodes, const T* u,
                               T thermal) {
  if constexpr (Material::linear)
    return material;
  else
    return material.linearised(shape, n_nodes, u, thermal);
}

/// K_ab = sum_q dv (tangent of the flux) for the row of one owned node, summed over its cells in
/// their order. The same bits on any partition: a row is computed whole by its owner.
template <int n_nodes, class Material>
struct StiffnessRow {
  CellView cells;
  MaterialView parameters;
  ThermalView thermal;
  gpu::View<const double, 2> u;  // [local node, component]
  NodeCells around;
  PlacesView places;
  MatrixView matrix;

  TRESTLE_KERNEL void operator()(Offset row) const {
    for (Offset s = around.offsets[row]; s < around.offsets[row + 1]; ++s)
      add_cell(row, around.slots[s] / n_nodes, around.slots[s] % n_nodes);
  }

 private:
  TRESTLE_KERNEL void add_cell(Offset row, Index c, int a) const {
    constexpr int width = Material::n_components * Material::n_components;
    double blocks[n_nodes * width] = {};
    double local[n_nodes * Material::n_components];
    if constexpr (!Material::linear)
      for (int b = 0; b < n_nodes; ++b)
        for (int d = 0; d < Material::n_components; ++d)
          local[b * Material::n_components + d] = u(cells.nodes(c, b), d);
    for (int q = 0; q < cells.n_points(); ++q) {
      const auto point = map_point<n_nodes, double, ShapeFor<Material, double>>(
          cells, NodePlaces{cells, c}, q, n_nodes);
      const auto tangent = tangent_at(Material(parameters(c, q)), point.shape, n_nodes,
                                      static_cast<const double*>(local), thermal(c, q));
      for (int b = 0; b < n_nodes; ++b)
        tangent.tangent(point.shape[a], point.shape[b], point.dv, blocks + b * width);
    }
    for (int b = 0; b < n_nodes; ++b) {
      const Offset entry = matrix.entry_at(row, places(c, a, b));
      for (int i = 0; i < width; ++i) matrix.values[entry * width + i] += blocks[b * width + i];
    }
  }
};

/// Internal force of each cell of a chunk, f_a = sum_q dv flux(u) . grad N_a.
template <class Material>
struct InternalForce {
  CellView cells;
  MaterialView parameters;
  ThermalView thermal;
  gpu::View<const double, 2> u;  // [local node, component]
  gpu::View<double, 3> force;    // [cell of the chunk, node, component]
  Offset first = 0;              // cell of the chunk's first entry

  TRESTLE_KERNEL void operator()(Offset i) const {
    constexpr int width = Material::n_components;
    const int n_nodes = static_cast<int>(cells.nodes.extent(1));
    const Offset c = first + i;
    double local[Material::max_nodes * width], f[Material::max_nodes * width] = {};
    for (int a = 0; a < n_nodes; ++a)
      for (int d = 0; d < width; ++d) local[a * width + d] = u(cells.nodes(c, a), d);
    for (int q = 0; q < cells.n_points(); ++q) {
      const auto point = map_point<Material::max_nodes, double, ShapeFor<Material, double>>(
          cells, NodePlaces{cells, c}, q, n_nodes);
      const auto flux = Material(parameters(c, q)).flux(point.shape, n_nodes, local, thermal(c, q));
      for (int a = 0; a < n_nodes; ++a)
        Material::project(flux, point.shape[a], point.dv, f + a * width);
    }
    for (int a = 0; a < n_nodes; ++a)
      for (int d = 0; d < width; ++d) force(i, a, d) = f[a * width + d];
  }
};

/// What a cell may give out at a quadrature point: `n` values by `store`.
template <class Material>
struct FluxOutput {
  static constexpr int n = Material::n_flux;
  TRESTLE_KERNEL static void store(const Material& material,
                                   const ShapeFor<Material, double>* shape, int n_nodes,
                                   const double* u, double thermal, double* values) {
    Material::store(material.flux(shape, n_nodes, u, thermal), values);
  }
};
/// Strain of a solid, tensor components in VTK's order.
template <class Material>
struct StrainOutput {
  static constexpr int n = 6;
  TRESTLE_KERNEL static void store(const Material& material, const Shape* shape, int n_nodes,
                                   const double* u, double thermal, double* values) {
    Material::store(material.full_strain(Material::strain(shape, n_nodes, u), thermal), values);
  }
};
/// Half of stress : elastic strain [J/m^3].
template <class Material>
struct EnergyOutput {
  static constexpr int n = 1;
  TRESTLE_KERNEL static void store(const Material& material, const Shape* shape, int n_nodes,
                                   const double* u, double thermal, double* values) {
    Mat3 elastic = material.full_strain(Material::strain(shape, n_nodes, u), thermal);
    for (int d = 0; d < 3; ++d) elastic(d, d) -= thermal;
    values[0] = 0.5 * double_dot(material.flux(shape, n_nodes, u, thermal), elastic);
  }
};

/// Values at the quadrature points of each cell of a chunk, taken to its nodes by the extrapolation
/// matrix of the cell type, or summed over the cell times dv.
template <class Material, class Output>
struct CellOutput {
  CellView cells;
  MaterialView parameters;
  ThermalView thermal;
  gpu::View<const double, 2> u;              // [local node, component]
  gpu::View<const double, 2> extrapolation;  // [node, point]; empty: sum over the cell
  gpu::View<double, 3> values;               // [cell of the chunk, node (or 1), n]
  Offset first = 0;

  TRESTLE_KERNEL void operator()(Offset i) const {
    constexpr int width = Material::n_components;
    const int n_nodes = static_cast<int>(cells.nodes.extent(1));
    const Offset c = first + i;
    const bool summed = extrapolation.data() == nullptr;
    const int n_out = summed ? 1 : n_nodes;
    double local[Material::max_nodes * width];
    for (int a = 0; a < n_nodes; ++a)
      for (int d = 0; d < width; ++d) local[a * width + d] = u(cells.nodes(c, a), d);
    for (int a = 0; a < n_out; ++a)
      for (int k = 0; k < Output::n; ++k) values(i, a, k) = 0;
    for (int q = 0; q < cells.n_points(); ++q) {
      const auto point = map_point<Material::max_nodes, double, ShapeFor<Material, double>>(
          cells, NodePlaces{cells, c}, q, n_nodes);
      double stored[Output::n];
      Output::store(Material(parameters(c, q)), point.shape, n_nodes, local, thermal(c, q), stored);
      for (int a = 0; a < n_out; ++a)
        for (int k = 0; k < Output::n; ++k)
          values(i, a, k) += (summed ? point.dv : extrapolation(a, q)) * stored[k];
    }
  }
};

/// Load per volume of each cell of a chunk, f_a = sum_q dv N_a b.
struct BodyLoad {
  CellView cells;                   // of the chunk
  gpu::View<const double, 3> load;  // [cell, point, component]
  gpu::View<double, 3> force;       // [cell, node, component]

  TRESTLE_KERNEL void operator()(Offset c) const {
    const Offset n_nodes = cells.nodes.extent(1);
    for (Offset a = 0; a < n_nodes; ++a)
      for (int d = 0; d < force.extent(2); ++d) force(c, a, d) = 0;
    for (int q = 0; q < cells.n_points(); ++q) {
      const double dv = volume_element(cells, c, q);
      for (Offset a = 0; a < n_nodes; ++a)
        for (int d = 0; d < force.extent(2); ++d)
          force(c, a, d) += dv * cells.N(q, a) * load(c, q, d);
    }
  }
};

/// The places of quadrature points, for cells and facets of any type.
struct PointPlaces {
  CellView cells;
  gpu::View<double, 2> x;  // [cell * point, 3] [m]

  TRESTLE_KERNEL void operator()(Offset i) const {
    const int n_points = cells.n_points();
    const Offset c = i / n_points;
    const int q = static_cast<int>(i % n_points);
    Vec3 place{};
    for (int a = 0; a < cells.nodes.extent(1); ++a) {
      const Index node = cells.nodes(c, a);
      place += cells.N(q, a) * Vec3{cells.x(node, 0), cells.x(node, 1), cells.x(node, 2)};
    }
    for (int d = 0; d < 3; ++d) x(i, d) = place[d];
  }
};

/// sum[node, component] += factor * work over the cells of one chunk, in the order of the cells.
/// `cursor` holds for each owned node the first slot that no chunk has taken yet.
struct GatherChunk {
  NodeCells around;
  gpu::View<Offset, 1> cursor;      // [owned node]
  gpu::View<const double, 1> work;  // [cell of the chunk * n_nodes + node, component]
  gpu::View<double, 1> sum;         // [owned node, component]
  Offset first_slot = 0, end_slot = 0;
  int width = 1;
  double factor = 1;

  TRESTLE_KERNEL void operator()(Offset node) const {
    Offset s = cursor[node];
    for (; s < around.offsets[node + 1] && around.slots[s] < end_slot; ++s)
      for (int d = 0; d < width; ++d)
        sum[node * width + d] += factor * work[(around.slots[s] - first_slot) * width + d];
    cursor[node] = s;
  }
};

/// The same sum without incidence: the entities of one chunk one after another, in one thread.
struct ScatterChunk {
  gpu::View<const Index, 1> nodes;  // [entity of the chunk * n_nodes + node]
  gpu::View<const double, 1> work;  // the same, component
  gpu::View<double, 1> sum;         // [owned node, component]
  Index n_owned = 0;
  int width = 1;
  double factor = 1;

  void operator()() const {
    switch (width) {
      case 1:
        return add<1>();
      case 2:
        return add<2>();
      case 3:
        return add<3>();
      default:
        return add<0>();
    }
  }

 private:
  /// known_width: 0 where it is another one.
  template <int known_width>
  void add() const {
    const int n = known_width > 0 ? known_width : width;
    const double* from = work.data();
    double* to = sum.data();
    for (Offset slot = 0; slot < nodes.size(); ++slot, from += n) {
      const Offset row = nodes[slot];
      if (row >= n_owned) continue;
      for (int d = 0; d < n; ++d) to[row * n + d] += factor * from[d];
    }
  }
};

/// cursor = offsets, before the first chunk.
struct StartGather {
  gpu::View<const Offset, 1> offsets;
  gpu::View<Offset, 1> cursor;
  TRESTLE_KERNEL void operator()(Offset i) const { cursor[i] = offsets[i]; }
};

}  // namespace trestle::fem
