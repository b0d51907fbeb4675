// Constraints applied to matrices and vectors on a device.
#include "fem/constraints.hpp"
#include "gpu/for_each.hpp"

namespace trestle::fem {
namespace {

struct ConstraintView {
  gpu::View<const Index, 1> of_node;  // [local node]: -1 or the constraint
  gpu::View<const NodeConstraint, 1> constraints;
  int n;

  TRESTLE_KERNEL const NodeConstraint* at(Offset node) const {
    return of_node[node] < 0 ? nullptr : &constraints[of_node[node]];
  }
  /// block -> frame' block for the constraint of the row.
  TRESTLE_KERNEL void from_left(const NodeConstraint& k, double* block) const {
    for (int column = 0; column < n; ++column) {
      double turned[3] = {};
      for (int direction = 0; direction < n; ++direction)
        for (int i = 0; i < n; ++i)
          turned[direction] += k.frame[i * n + direction] * block[i * n + column];
      for (int direction = 0; direction < n; ++direction)
        block[direction * n + column] = turned[direction];
    }
  }
  /// block -> block frame for the constraint of the column.
  TRESTLE_KERNEL void from_right(const NodeConstraint& k, double* block) const {
    for (int row = 0; row < n; ++row) {
      double turned[3] = {};
      for (int direction = 0; direction < n; ++direction)
        for (int j = 0; j < n; ++j)
          turned[direction] += block[row * n + j] * k.frame[j * n + direction];
      for (int direction = 0; direction < n; ++direction)
        block[row * n + direction] = turned[direction];
    }
  }
};

/// C_i' K_ij C_j for the entries of one row; the diagonal entry of a fixed direction stays where it
/// is to be kept.
struct ConstrainRow {
  ConstraintView constraints;
  gpu::View<const Offset, 1> owned_offsets;
  gpu::View<const Offset, 1> ghost_offsets;
  gpu::View<const Index, 1> columns;
  gpu::View<double, 1> values;
  bool keeps_diagonal;

  TRESTLE_KERNEL void operator()(Offset row) const {
    for (Offset entry = owned_offsets[row]; entry < owned_offsets[row + 1]; ++entry)
      constrain(row, entry);
    for (Offset entry = ghost_offsets[row]; entry < ghost_offsets[row + 1]; ++entry)
      constrain(row, entry);
  }

 private:
  TRESTLE_KERNEL void constrain(Offset row, Offset entry) const {
    const int n = constraints.n;
    const NodeConstraint* left = constraints.at(row);
    const NodeConstraint* right = constraints.at(columns[entry]);
    if (left == nullptr && right == nullptr) return;
    double* block = &values[entry * n * n];
    if (left != nullptr) constraints.from_left(*left, block);
    if (right != nullptr) constraints.from_right(*right, block);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const bool kept = keeps_diagonal && columns[entry] == row && i == j;
        const double factor =
            (left != nullptr ? left->mask[i] : 1.0) * (right != nullptr ? right->mask[j] : 1.0);
        if (!kept && factor == 0) block[i * n + j] = 0;
      }
  }
};

/// r_i -> C_i' r_i.
struct RestrictNode {
  ConstraintView constraints;
  gpu::View<double, 1> r;

  TRESTLE_KERNEL void operator()(Offset node) const {
    const NodeConstraint* k = constraints.at(node);
    if (k == nullptr) return;
    const int n = constraints.n;
    double turned[3] = {};
    for (int direction = 0; direction < n; ++direction)
      for (int i = 0; i < n; ++i)
        turned[direction] += k->frame[i * n + direction] * r[node * n + i];
    for (int direction = 0; direction < n; ++direction)
      r[node * n + direction] = k->mask[direction] * turned[direction];
  }
};

/// m_i -> C_i' m_i C_i of masses that are the same for all components of a node.
struct MaskNode {
  ConstraintView constraints;
  gpu::View<double, 1> mass;

  TRESTLE_KERNEL void operator()(Offset node) const {
    const NodeConstraint* k = constraints.at(node);
    for (int d = 0; k != nullptr && d < constraints.n; ++d)
      mass[node * constraints.n + d] *= k->mask[d];
  }
};

/// u_i = C_i v_i + g_i; without g where that is empty.
struct ExpandNode {
  ConstraintView constraints;
  gpu::View<const double, 1> v;
  gpu::View<const double, 1> g;
  gpu::View<double, 1> u;

  TRESTLE_KERNEL void operator()(Offset node) const {
    const NodeConstraint* k = constraints.at(node);
    const int n = constraints.n;
    for (int i = 0; i < n; ++i) {
      double value = k == nullptr ? v[node * n + i] : 0.0;
      if (k != nullptr)
        for (int direction = 0; direction < n; ++direction)
          value += k->frame[i * n + direction] * k->mask[direction] * v[node * n + direction];
      u[node * n + i] = g.data() != nullptr ? value + g[node * n + i] : value;
    }
  }
};

/// u_i -> C_i C_i' (u_i - g_i) + g_i.
struct ImposeNode {
  ConstraintView constraints;
  gpu::View<const double, 1> g;
  gpu::View<double, 1> u;

  TRESTLE_KERNEL void operator()(Offset node) const {
    const NodeConstraint* k = constraints.at(node);
    if (k == nullptr) return;
    const int n = constraints.n;
    double free[3] = {};
    for (int direction = 0; direction < n; ++direction)
      for (int i = 0; i < n; ++i)
        free[direction] +=
            k->mask[direction] * k->frame[i * n + direction] * (u[node * n + i] - g[node * n + i]);
    for (int i = 0; i < n; ++i) {
      double value = g[node * n + i];
      for (int direction = 0; direction < n; ++direction)
        value += k->frame[i * n + direction] * free[direction];
      u[node * n + i] = value;
    }
  }
};

}  // namespace

void Constraints::apply(solver::BlockMatrix<double>& matrix) const { constrain(matrix, true); }

void Constraints::apply_mass(solver::BlockMatrix<double>& matrix) const {
  constrain(matrix, false);
}

void Constraints::constrain(solver::BlockMatrix<double>& matrix, bool keeps_diagonal) const {
  const ConstraintView view{device_of_node_.view(), device_nodes_.view(), n_components_};
  gpu::for_each(matrix.device(), map_->n_owned(),
                ConstrainRow{view, matrix.owned_offsets(), matrix.ghost_offsets(), matrix.columns(),
                             matrix.values().view(), keeps_diagonal});
}

void Constraints::apply_mass(solver::Vector<double>& lumped) const {
  const ConstraintView view{device_of_node_.view(), device_nodes_.view(), n_components_};
  gpu::for_each(lumped.device(), map_->n_owned(), MaskNode{view, lumped.view()});
}

void Constraints::apply(solver::Vector<double>& r) const {
  const ConstraintView view{device_of_node_.view(), device_nodes_.view(), n_components_};
  gpu::for_each(r.device(), map_->n_owned(), RestrictNode{view, r.view()});
}

void Constraints::expand(const solver::Vector<double>& v, solver::Vector<double>& u) const {
  const ConstraintView view{device_of_node_.view(), device_nodes_.view(), n_components_};
  gpu::for_each(v.device(), map_->n_local(), ExpandNode{view, v.view(), g_.view(), u.view()});
}

void Constraints::expand_increment(const solver::Vector<double>& v,
                                   solver::Vector<double>& u) const {
  const ConstraintView view{device_of_node_.view(), device_nodes_.view(), n_components_};
  gpu::for_each(v.device(), map_->n_local(), ExpandNode{view, v.view(), {}, u.view()});
}

void Constraints::impose(solver::Vector<double>& u) const {
  const ConstraintView view{device_of_node_.view(), device_nodes_.view(), n_components_};
  gpu::for_each(u.device(), map_->n_local(), ImposeNode{view, g_.view(), u.view()});
}

void Constraints::set_fixed_part(const solver::Vector<double>& from,
                                 solver::Vector<double>& u) const {
  const ConstraintView view{device_of_node_.view(), device_nodes_.view(), n_components_};
  gpu::for_each(u.device(), map_->n_local(), ImposeNode{view, from.view(), u.view()});
}

void Constraints::restrict_host(std::span<double> r) const {
  const gpu::View<double, 1> values(r.data(), r.size());
  const ConstraintView view{
      {of_node_.data(), of_node_.size()}, {nodes_.data(), nodes_.size()}, n_components_};
  for (Offset node = 0; node < map_->n_owned(); ++node) RestrictNode{view, values}(node);
}

}  // namespace trestle::fem
