// The kernels of solids: forces, tangents, results and memory of cells whose law is chosen at run
// time, with the dilatation of each point or projected onto few modes per cell.
#pragma once

#include "fem/kernels/cell_kernels.hpp"
#include "fem/materials/solid_law.hpp"

namespace trestle::fem {

/// What points remember: plastic strain in VTK's order, equivalent plastic strain.
inline constexpr int n_history = 7;
using HistoryView = gpu::View<double, 3>;  // [component, point, cell]; empty: nothing

TRESTLE_KERNEL inline PlasticState load_history(const HistoryView& history, Offset c, int q) {
  if (history.data() == nullptr) return {};
  Sym6 strain{};
  for (int k = 0; k < 6; ++k) strain[k] = history(k, q, c);
  return {to_mat3(strain), history(6, q, c)};
}
TRESTLE_KERNEL inline void store_history(const HistoryView& history, Offset c, int q,
                                         const PlasticState& state) {
  const Sym6 strain = to_sym6(state.strain);
  for (int k = 0; k < 6; ++k) history(k, q, c) = strain[k];
  history(6, q, c) = state.equivalent;
}

/// The cells of a block with all that their laws need.
struct SolidCells {
  CellView cells;
  MaterialView parameters;
  ThermalView thermal;
  gpu::View<const double, 2> u;    // [local node, component]
  const double* curves = nullptr;  // [point, 2] of hardening curves
  HistoryView history;
  int n_modes = 0;  // of the dilatation of a cell; 0: the dilatation of each point

  TRESTLE_KERNEL SolidLaw law(Offset c, int q) const {
    return SolidLaw(parameters(c, q), curves, load_history(history, c, q));
  }
};

/// One cell of at most `capacity` nodes. With modes psi_k (1, x, y, z made orthogonal over the
/// cell) theta = sum_k psi_k theta_k, theta_k = int psi_k theta(u) / int psi_k^2, and the pressure
/// alike: the form of Simo, Taylor and Pister [1985] with theta and p condensed, which is B-bar
/// [Hughes 2000, sec. 4.5.2] at small strains.
template <int dim, int capacity>
class SolidCell {
 public:
  static constexpr int max_points = dim == 2 ? 16 : 27;
  static constexpr int max_modes = dim + 1;

  /// The mean fields at u; `with_slopes`: also those that a tangent needs.
  TRESTLE_KERNEL SolidCell(const SolidCells& data, Offset c, bool with_slopes)
      : data_(data), c_(c), n_nodes_(static_cast<int>(data.cells.nodes.extent(1))) {
    for (int a = 0; a < n_nodes_; ++a)
      for (int d = 0; d < dim; ++d) u_[a * dim + d] = data.u(data.cells.nodes(c, a), d);
    if (data.n_modes == 0) return;
    set_modes();
    project_volume(with_slopes);
    project_pressure();
  }

  TRESTLE_KERNEL int n_nodes() const { return n_nodes_; }
  TRESTLE_KERNEL CellPoint<capacity> point(int q) const {
    return map_point<capacity>(data_.cells, c_, q, n_nodes_);
  }
  /// Gradient of the displacement at point q, with the strain of the thickness in plane stress.
  TRESTLE_KERNEL Mat3 gradient(const Shape* shape, const SolidLaw& law, int q) const {
    const Mat3 H = gradient(shape);
    return dim == 2 && law.plane_stress ? law.with_thickness(H, data_.thermal(c_, q)) : H;
  }
  /// Gradient of the displacement, with u_r / r in zz where axisymmetric.
  TRESTLE_KERNEL Mat3 gradient(const Shape* shape) const {
    Mat3 H{};
    for (int a = 0; a < n_nodes_; ++a) {
      Vec3 ua{};
      for (int d = 0; d < dim; ++d) ua[d] = u_[a * dim + d];
      H += outer(ua, shape[a].grad);
      if (dim == 2) H(2, 2) += ua[0] * shape[a].hoop;
    }
    return H;
  }
  TRESTLE_KERNEL double volume(const SolidLaw& law, const Mat3& H, int q) const {
    return data_.n_modes == 0 ? law.volume(H) : at(volume_, q);
  }
  TRESTLE_KERNEL double pressure(const SolidLaw& law, const Mat3& H, int q) const {
    return data_.n_modes == 0 ? law.pressure(law.volume(H), data_.thermal(c_, q))
                              : at(pressure_, q);
  }
  /// First Piola-Kirchhoff stress; the stress of small strains [Pa].
  TRESTLE_KERNEL Mat3 stress(const SolidLaw& law, const Mat3& H, int q) const {
    return law.stress(H) + pressure(law, H, q) * law.volume_slope(H);
  }

  /// force[node, component] += internal force of the cell.
  template <class Force>
  TRESTLE_KERNEL void add_force(const Force& force) const {
    for (int q = 0; q < data_.cells.n_points(); ++q) {
      const CellPoint<capacity> p = point(q);
      const SolidLaw law = data_.law(c_, q);
      const Mat3 H = gradient(p.shape, law, q), P = p.dv * stress(law, H, q);
      for (int a = 0; a < n_nodes_; ++a) {
        const Vec3 f = P * p.shape[a].grad;
        for (int d = 0; d < dim; ++d) force(a, d) += f[d];
        if (dim == 2) force(a, 0) += P(2, 2) * p.shape[a].hoop;
      }
    }
  }

  /// The upper half of K[a, b, dim * dim] += the tangent of the cell, b >= a.
  TRESTLE_KERNEL void add_tangent(const gpu::View<double, 3>& K) const {
    double slopes[max_modes][max_modes] = {};
    for (int q = 0; q < data_.cells.n_points(); ++q) {
      const CellPoint<capacity> p = point(q);
      const SolidLaw law = data_.law(c_, q);
      const Mat3 H = gradient(p.shape, law, q);
      Tensor4 A = law.tangent(H);
      law.add_volume_curvature(A, pressure(law, H, q), H);
      const double slope = law.pressure_slope(volume(law, H, q));
      if (data_.n_modes == 0) {
        const Mat3 D = law.volume_slope(H);
        add_dyad(A, slope, D, D);
      }
      if (dim == 2 && law.plane_stress) SolidLaw::condense_thickness(A);
      for (int k = 0; k < data_.n_modes; ++k)
        for (int l = 0; l < data_.n_modes; ++l)
          slopes[k][l] += dv_[q] * slope * psi_[k][q] * psi_[l][q];
      for (int a = 0; a < n_nodes_; ++a) add_row(A, p, a, K);
    }
    for (int k = 0; k < data_.n_modes; ++k)
      for (int l = 0; l < data_.n_modes; ++l)
        for (int a = 0; a < n_nodes_; ++a)
          for (int b = a; b < n_nodes_; ++b)
            for (int i = 0; i < dim; ++i)
              for (int j = 0; j < dim; ++j)
                K(a, b, i * dim + j) += slopes[k][l] * divergence_[k][a][i] * divergence_[l][b][j];
  }

 private:
  TRESTLE_KERNEL double at(const double* of_mode, int q) const {
    double sum = 0;
    for (int k = 0; k < data_.n_modes; ++k) sum += psi_[k][q] * of_mode[k];
    return sum;
  }
  /// psi and dv, by Gram and Schmidt over the points.
  TRESTLE_KERNEL void set_modes() {
    const int n_points = data_.cells.n_points();
    for (int q = 0; q < n_points; ++q) {
      const CellPoint<capacity> p = point(q);
      dv_[q] = p.dv;
      psi_[0][q] = 1;
      for (int k = 1; k < data_.n_modes; ++k)  // from a node on, lest digits cancel far from 0
        psi_[k][q] = p.x[k - 1] - data_.cells.x(data_.cells.nodes(c_, 0), k - 1);
    }
    for (int k = 0; k < data_.n_modes; ++k) {
      for (int l = 0; l < k; ++l) {
        const double along = mean(psi_[k], l);
        for (int q = 0; q < n_points; ++q) psi_[k][q] -= along * psi_[l][q];
      }
      norm_[k] = 0;
      for (int q = 0; q < n_points; ++q) norm_[k] += dv_[q] * psi_[k][q] * psi_[k][q];
    }
  }
  /// The coefficient of mode k in values at points.
  TRESTLE_KERNEL double mean(const double* of_point, int k) const {
    double sum = 0;
    for (int q = 0; q < data_.cells.n_points(); ++q) sum += dv_[q] * psi_[k][q] * of_point[q];
    return sum / norm_[k];
  }
  TRESTLE_KERNEL void project_volume(bool with_slopes) {
    for (int k = 0; k < data_.n_modes; ++k) {
      volume_[k] = 0;
      for (int a = 0; a < n_nodes_; ++a) divergence_[k][a] = {};
    }
    for (int q = 0; q < data_.cells.n_points(); ++q) {
      const CellPoint<capacity> p = point(q);
      const Mat3 H = gradient(p.shape);
      const SolidLaw law = data_.law(c_, q);
      const Mat3 D = law.volume_slope(H);
      for (int k = 0; k < data_.n_modes; ++k) {
        const double weight = dv_[q] * psi_[k][q] / norm_[k];
        volume_[k] += weight * law.volume(H);
        if (!with_slopes) continue;
        for (int a = 0; a < n_nodes_; ++a) {
          Vec3 d = D * p.shape[a].grad;
          d[0] += D(2, 2) * p.shape[a].hoop;
          divergence_[k][a] += weight * d;
        }
      }
    }
  }
  TRESTLE_KERNEL void project_pressure() {
    double of_point[max_points];
    for (int q = 0; q < data_.cells.n_points(); ++q)
      of_point[q] = data_.law(c_, q).pressure(at(volume_, q), data_.thermal(c_, q));
    for (int k = 0; k < data_.n_modes; ++k) pressure_[k] = mean(of_point, k);
  }
  /// K[a, b] += dv grad_a . A . grad_b for b >= a.
  TRESTLE_KERNEL void add_row(const Tensor4& A, const CellPoint<capacity>& p, int a,
                              const gpu::View<double, 3>& K) const {
    for (int i = 0; i < dim; ++i) {
      Mat3 T{};
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) {
          for (int j = 0; j < dim; ++j) T(k, l) += p.shape[a].grad[j] * A(i, j, k, l);
          if (dim == 2 && i == 0) T(k, l) += p.shape[a].hoop * A(2, 2, k, l);
        }
      T *= p.dv;
      for (int b = a; b < n_nodes_; ++b) {
        const Vec3 row = T * p.shape[b].grad;
        for (int j = 0; j < dim; ++j) K(a, b, i * dim + j) += row[j];
        if (dim == 2) K(a, b, i * dim) += T(2, 2) * p.shape[b].hoop;
      }
    }
  }

  const SolidCells& data_;
  Offset c_;
  int n_nodes_;
  double u_[capacity * dim];
  double psi_[max_modes][max_points], dv_[max_points], norm_[max_modes];
  double volume_[max_modes], pressure_[max_modes];
  Vec3 divergence_[max_modes][capacity];  // int psi_k dtheta/du_a / int psi_k^2
};

/// Internal force of each cell of a chunk.
template <int dim, int capacity>
struct SolidForce {
  SolidCells cells;
  gpu::View<double, 3> force;  // [cell of the chunk, node, component]
  Offset first = 0;            // cell of the chunk's first entry

  TRESTLE_KERNEL void operator()(Offset i) const {
    const SolidCell<dim, capacity> cell(cells, first + i, false);
    const gpu::View<double, 2> own(&force(i, 0, 0), force.extent(1), dim);
    for (int a = 0; a < cell.n_nodes(); ++a)
      for (int d = 0; d < dim; ++d) own(a, d) = 0;
    cell.add_force(own);
  }
};

/// The matrix of each cell of a chunk.
template <int dim, int capacity>
struct SolidMatrix {
  SolidCells cells;
  gpu::View<double, 4> matrices;  // [cell of the chunk, node, node, dim * dim]
  Offset first = 0;

  TRESTLE_KERNEL void operator()(Offset i) const {
    constexpr int width = dim * dim;
    const SolidCell<dim, capacity> cell(cells, first + i, true);
    const int n = cell.n_nodes();
    const gpu::View<double, 3> K(&matrices(i, 0, 0, 0), n, n, width);
    for (int a = 0; a < n; ++a)
      for (int b = a; b < n; ++b)
        for (int k = 0; k < width; ++k) K(a, b, k) = 0;
    cell.add_tangent(K);
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < a; ++b)
        for (int r = 0; r < dim; ++r)
          for (int s = 0; s < dim; ++s) K(a, b, r * dim + s) = K(b, a, s * dim + r);
  }
};

/// matrix += the matrices of one chunk of cells at the rows of owned nodes, in the order of cells,
/// a row per index. `cursor` holds for each owned node the first slot that no chunk has taken yet.
struct GatherMatrices {
  NodeCells around;
  gpu::View<Offset, 1> cursor;          // [owned node]
  gpu::View<const double, 4> matrices;  // [cell of the chunk, node, node, width]
  PlacesView places;
  MatrixView matrix;
  Offset first = 0, end = 0;  // cells of the chunk

  TRESTLE_KERNEL void operator()(Offset row) const {
    const Offset n_nodes = matrices.extent(1), width = matrices.extent(3);
    Offset s = cursor[row];
    for (; s < around.offsets[row + 1] && around.slots[s] < end * n_nodes; ++s) {
      const Offset c = around.slots[s] / n_nodes, a = around.slots[s] % n_nodes;
      for (Offset b = 0; b < n_nodes; ++b) {
        const Offset entry = matrix.entry_at(row, places(c, a, b));
        for (Offset k = 0; k < width; ++k)
          matrix.values[entry * width + k] += matrices(c - first, a, b, k);
      }
    }
    cursor[row] = s;
  }
};

/// What a cell gives out at a point: `n` values.
enum class SolidQuantity { stress, strain, energy, plastic_strain };
TRESTLE_KERNEL constexpr int n_values(SolidQuantity quantity) {
  return quantity == SolidQuantity::stress || quantity == SolidQuantity::strain ? 6 : 1;
}

/// Cauchy stress [Pa], strain (that of B-bar; Green and Lagrange's where strains are finite),
/// elastic energy per volume of the undeformed body [J/m^3], or equivalent plastic strain: taken to
/// the nodes of each cell of a chunk by the extrapolation matrix, or summed over the cell times dv.
template <int dim, int capacity>
struct SolidOutput {
  SolidCells cells;
  SolidQuantity quantity;
  gpu::View<const double, 2> extrapolation;  // [node, point]; empty: sum over the cell
  gpu::View<double, 3> values;               // [cell of the chunk, node (or 1), n]
  Offset first = 0;

  TRESTLE_KERNEL void operator()(Offset i) const {
    const SolidCell<dim, capacity> cell(cells, first + i, false);
    const bool summed = extrapolation.data() == nullptr;
    const int n_out = summed ? 1 : cell.n_nodes(), n = n_values(quantity);
    for (int a = 0; a < n_out; ++a)
      for (int k = 0; k < n; ++k) values(i, a, k) = 0;
    for (int q = 0; q < cells.cells.n_points(); ++q) {
      const CellPoint<capacity> p = cell.point(q);
      const Sym6 stored = value(cell, p, first + i, q);
      for (int a = 0; a < n_out; ++a)
        for (int k = 0; k < n; ++k)
          values(i, a, k) += (summed ? p.dv : extrapolation(a, q)) * stored[k];
    }
  }

 private:
  TRESTLE_KERNEL Sym6 value(const SolidCell<dim, capacity>& cell, const CellPoint<capacity>& p,
                            Offset c, int q) const {
    const SolidLaw law = cells.law(c, q);
    const Mat3 H = cell.gradient(p.shape, law, q);
    switch (quantity) {
      case SolidQuantity::stress: {
        const Mat3 P = cell.stress(law, H, q), F = identity() + H;
        return to_sym6(law.finite() ? (1 / determinant(F)) * (P * transpose(F)) : P);
      }
      case SolidQuantity::strain:
        if (law.finite()) return to_sym6(sym(H) + 0.5 * (transpose(H) * H));
        return to_sym6(deviator(sym(H)) + (cell.volume(law, H, q) / 3) * identity());
      case SolidQuantity::energy:
        return {
            {law.shape_energy(H) + law.volume_energy(cell.volume(law, H, q), cells.thermal(c, q))}};
      default:
        return {{law.state.equivalent}};
    }
  }
};

/// Makes points remember what they have come to at u.
template <int dim, int capacity>
struct AcceptState {
  SolidCells cells;

  TRESTLE_KERNEL void operator()(Offset c) const {
    const SolidCell<dim, capacity> cell(cells, c, false);
    for (int q = 0; q < cells.cells.n_points(); ++q) {
      const SolidLaw law = cells.law(c, q);
      if (law.law != Law::j2_plasticity) continue;
      const Mat3 H = cell.gradient(cell.point(q).shape, law, q);
      store_history(cells.history, c, q, law.plasticity().updated(sym(H)));
    }
  }
};

/// The least determinant of F over the points of each cell whose strains are finite; 1 elsewhere.
template <int dim, int capacity>
struct LeastVolume {
  SolidCells cells;
  gpu::View<double, 1> least;  // [cell]

  TRESTLE_KERNEL void operator()(Offset c) const {
    SolidCells pointwise = cells;
    pointwise.n_modes = 0;
    const SolidCell<dim, capacity> cell(pointwise, c, false);
    least[c] = 1;
    if (!cells.law(c, 0).finite()) return;
    for (int q = 0; q < cells.cells.n_points(); ++q) {
      const double J = determinant(identity() + cell.gradient(cell.point(q).shape));
      if (!(J >= least[c])) least[c] = J;  // also where J is not a number
    }
  }
};

}  // namespace trestle::fem
