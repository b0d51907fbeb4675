// Constraints: u = C v + g, with a block per node: an orthonormal frame times a mask.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/index_map.hpp"
#include "fem/tensor.hpp"
#include "gpu/array.hpp"
#include "solver/matrix/block_matrix.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::fem {

/// direction . u = value at an owned node, asked by one entry of a case. `direction` has length 1.
struct FixedDirection {
  Index node;
  int entry;  // later entries win
  Vec3 direction;
  double value;  // [unit of u]
};

/// An owned node at which an entry overrode another one's value.
struct Conflict {
  Index node;
  int winner, loser;  // entries
};

/// One node that is constrained: columns of the frame are directions, mask 0 where the direction is
/// fixed.
struct NodeConstraint {
  double frame[9];  // [component, direction], n x n with stride n
  double mask[3];   // [direction]
};

/// The matrix of the constrained problem is C'KC with the diagonal entry kept in fixed directions,
/// the right side C'(f - K g), and v = 0 in fixed directions; the mass matrix is C'MC with 0 there.
class Constraints {
 public:
  /// Entries are taken from last to first; each adds the part of its direction that is not fixed
  /// yet. Where a value is overridden by a different one, the node is listed in `conflicts`.
  /// Collective.
  Constraints(const gpu::Device& device, std::shared_ptr<const IndexMap> map, int n_components,
              std::vector<FixedDirection> fixed);

  /// New values for the same directions, times `factor`. Collective.
  void set_values(std::vector<FixedDirection> fixed, double factor);

  int n_components() const { return n_components_; }
  /// One for each node that has any.
  const std::vector<Conflict>& conflicts() const { return conflicts_; }
  /// Constraint of a local node, or null.
  const NodeConstraint* at(Index node) const;
  /// g [local node, component].
  const solver::Vector<double>& prescribed() const { return g_; }
  /// Whether g is 0 on this rank, ghosts included.
  bool all_zero() const { return all_zero_; }

  /// K -> C'KC in place.
  void apply(solver::BlockMatrix<double>& matrix) const;
  /// M -> C'MC in place, with 0 in fixed directions.
  void apply_mass(solver::BlockMatrix<double>& matrix) const;
  /// The same for lumped masses at owned nodes, equal for all components of a node: they become
  /// those of the directions of its frame.
  void apply_mass(solver::Vector<double>& lumped) const;
  /// r -> C' r in place, at owned nodes.
  void apply(solver::Vector<double>& r) const;
  /// u = C v + g at owned and ghost nodes; v with its ghosts up to date.
  void expand(const solver::Vector<double>& v, solver::Vector<double>& u) const;
  /// u = C v at owned and ghost nodes: a change that leaves prescribed values as they are.
  void expand_increment(const solver::Vector<double>& v, solver::Vector<double>& u) const;
  /// Sets the prescribed values in u at owned and ghost nodes, and leaves the rest.
  void impose(solver::Vector<double>& u) const;
  /// Gives u, at owned and ghost nodes, the fixed directions of `from`.
  void set_fixed_part(const solver::Vector<double>& from, solver::Vector<double>& u) const;
  /// The same as C' r for a host vector [owned node, component].
  void restrict_host(std::span<double> r) const;

 private:
  void share_with_ghosts();
  void constrain(solver::BlockMatrix<double>& matrix, bool keeps_diagonal) const;

  std::shared_ptr<const IndexMap> map_;
  int n_components_;
  std::vector<Index> of_node_;  // [local node]: index into nodes_, or -1
  std::vector<NodeConstraint> nodes_;
  std::vector<Conflict> conflicts_;
  solver::Vector<double> g_;
  bool all_zero_ = true;
  gpu::Array<Index> device_of_node_;
  gpu::Array<NodeConstraint> device_nodes_;
};

}  // namespace trestle::fem
