#include "fem/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace trestle::fem {
namespace {

constexpr double parallel_tolerance =
    1e-8;  // sine of the angle below which directions are the same
constexpr double conflict_tolerance = 1e-12;  // relative difference of values that agree

bool is_axis(const Vec3& q) {
  return std::max({std::abs(q[0]), std::abs(q[1]), std::abs(q[2])}) > 1 - 1e-12;
}

/// Unit vectors that complete orthonormal `fixed` to a basis of the first n axes.
std::vector<Vec3> complete_basis(std::vector<Vec3> basis, int n) {
  for (int axis = 0; axis < n && static_cast<int>(basis.size()) < n; ++axis) {
    Vec3 e{};
    e[axis] = 1;
    for (int pass = 0; pass < 2; ++pass)
      for (const Vec3& q : basis) e -= dot(e, q) * q;
    if (const double length = norm(e); length > 0.1) basis.push_back(e * (1 / length));
  }
  return basis;
}

NodeConstraint axis_constraint(const std::vector<Vec3>& fixed, int n) {
  NodeConstraint constraint{{}, {1, 1, 1}};
  for (int d = 0; d < n; ++d) constraint.frame[d * n + d] = 1;
  for (const Vec3& q : fixed)
    for (int d = 0; d < n; ++d)
      if (std::abs(q[d]) > 0.5) constraint.mask[d] = 0;
  return constraint;
}

NodeConstraint framed_constraint(const std::vector<Vec3>& fixed, int n) {
  NodeConstraint constraint{{}, {1, 1, 1}};
  const std::vector<Vec3> basis = complete_basis(fixed, n);
  for (int direction = 0; direction < n; ++direction)
    for (int component = 0; component < n; ++component)
      constraint.frame[component * n + direction] =
          basis[static_cast<std::size_t>(direction)][component];
  for (std::size_t direction = 0; direction < fixed.size(); ++direction)
    constraint.mask[direction] = 0;
  return constraint;
}

/// Calls work(entries of the node) for every node, its entries from last to first.
template <class Work>
void for_each_node(std::vector<FixedDirection> fixed, const Work& work) {
  std::stable_sort(fixed.begin(), fixed.end(),
                   [](const FixedDirection& a, const FixedDirection& b) {
                     return a.node != b.node ? a.node < b.node : a.entry > b.entry;
                   });
  for (std::size_t begin = 0, end = 0; begin < fixed.size(); begin = end) {
    while (end < fixed.size() && fixed[end].node == fixed[begin].node) ++end;
    work(std::span(fixed).subspan(begin, end - begin));
  }
}

/// What the entries of one node fix together.
struct FixedNode {
  std::vector<Vec3> basis;  // orthonormal
  std::vector<int> owner;   // [basis vector]: the entry that fixes it
  Vec3 value{};
  std::optional<Conflict> conflict;  // the first
};

/// The entry that fixes most of `direction`.
int nearest_owner(const FixedNode& fixed, const Vec3& direction) {
  std::size_t nearest = 0;
  for (std::size_t k = 1; k < fixed.basis.size(); ++k)
    if (std::abs(dot(direction, fixed.basis[k])) > std::abs(dot(direction, fixed.basis[nearest])))
      nearest = k;
  return fixed.owner[nearest];
}

FixedNode fixed_node(std::span<const FixedDirection> directions) {
  FixedNode fixed;
  for (const FixedDirection& entry : directions) {
    Vec3 rest = entry.direction;
    for (const Vec3& q : fixed.basis) rest -= dot(rest, q) * q;
    const double length = norm(rest);
    const double missing = entry.value - dot(entry.direction, fixed.value);
    if (length < parallel_tolerance) {
      const double scale = std::max(std::abs(entry.value), norm(fixed.value));
      if (!fixed.conflict && !(std::abs(missing) <= conflict_tolerance * scale))
        fixed.conflict = {entry.node, nearest_owner(fixed, entry.direction), entry.entry};
      continue;
    }
    const Vec3 q = rest * (1 / length);
    fixed.value += (missing / length) * q;
    fixed.basis.push_back(q);
    fixed.owner.push_back(entry.entry);
  }
  return fixed;
}

}  // namespace

Constraints::Constraints(const gpu::Device& device, std::shared_ptr<const IndexMap> map,
                         int n_components, std::vector<FixedDirection> fixed)
    : map_(std::move(map)),
      n_components_(n_components),
      of_node_(static_cast<std::size_t>(map_->n_local()), -1),
      g_(device, map_, n_components, "constraints"),
      device_of_node_(device, 0, "constraints"),
      device_nodes_(device, 0, "constraints") {
  for_each_node(fixed, [&](std::span<const FixedDirection> directions) {
    const FixedNode node = fixed_node(directions);
    const bool axes = std::all_of(node.basis.begin(), node.basis.end(), is_axis);
    of_node_[static_cast<std::size_t>(directions.front().node)] = narrow<Index>(nodes_.size());
    nodes_.push_back(axes ? axis_constraint(node.basis, n_components_)
                          : framed_constraint(node.basis, n_components_));
    if (node.conflict) conflicts_.push_back(*node.conflict);
  });
  share_with_ghosts();
  set_values(std::move(fixed), 1);
  device_of_node_ = gpu::upload(device, of_node_, "constraints");
  device_nodes_ = gpu::upload(device, nodes_, "constraints");
}

void Constraints::set_values(std::vector<FixedDirection> fixed, double factor) {
  std::vector<double> g(static_cast<std::size_t>(g_.n_local()), 0.0);
  for_each_node(std::move(fixed), [&](std::span<const FixedDirection> directions) {
    const Vec3 value = fixed_node(directions).value;
    for (int d = 0; d < n_components_; ++d)
      g[static_cast<std::size_t>(directions.front().node * n_components_ + d)] = factor * value[d];
  });
  update_ghosts(*map_, std::span<double>(g), n_components_);
  all_zero_ = std::all_of(g.begin(), g.end(), [](double value) { return value == 0; });
  const auto target = gpu::write(g_.values());
  std::copy(g.begin(), g.end(), target.begin());
}

void Constraints::share_with_ghosts() {
  struct Shared {
    int position;  // among what the neighbour asks for
    NodeConstraint constraint;
  };
  std::vector<std::vector<Shared>> to(static_cast<std::size_t>(map_->comm().size()));
  for (const auto& neighbour : map_->neighbours())
    for (std::size_t i = 0; i < neighbour.send.size(); ++i)
      if (const NodeConstraint* constraint = at(neighbour.send[i]))
        to[static_cast<std::size_t>(neighbour.rank)].push_back({static_cast<int>(i), *constraint});
  const auto from = map_->comm().exchange(to);
  for (const auto& neighbour : map_->neighbours())
    for (const Shared& shared : from[static_cast<std::size_t>(neighbour.rank)]) {
      of_node_[static_cast<std::size_t>(neighbour.receive_begin + shared.position)] =
          narrow<Index>(nodes_.size());
      nodes_.push_back(shared.constraint);
    }
}

const NodeConstraint* Constraints::at(Index node) const {
  const Index k = of_node_[static_cast<std::size_t>(node)];
  return k < 0 ? nullptr : &nodes_[static_cast<std::size_t>(k)];
}

}  // namespace trestle::fem
