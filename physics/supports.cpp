#include "physics/supports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "fem/discretisation.hpp"
#include "fem/symmetric_eigen.hpp"
#include "mesh/union_find.hpp"

namespace trestle::physics {
namespace {

using fem::Vec3;

/// Share of the largest eigenvalue below which a motion counts as free: well above the rounding of
/// the sums, and well below the squared slenderness of any body.
constexpr double rounding = 1e-13;

/// What is known of one part on one rank: rigid motions that are held, and where it is.
struct PartSums {
  GlobalIndex label = 0;
  GlobalIndex n_nodes = 0;
  double centre[3] = {};  // sum of places
  double held[36] =
      {};  // sum of r r' over held directions, r: the motions' parts along the direction
};

/// The rigid motions of a model at a place along a direction [number of motions]: translations,
/// then rotations (about the origin of `x`, which is scaled to a size of 1).
std::vector<double> motions_along(const Vec3& q, const Vec3& x, Model model, int n_components) {
  if (n_components == 1) return {1.0};
  if (model == Model::axisymmetric) return {q[1]};
  if (n_components == 2) return {q[0], q[1], x[0] * q[1] - x[1] * q[0]};
  const Vec3 moment = cross(x, q);
  return {q[0], q[1], q[2], moment[0], moment[1], moment[2]};
}

std::string count(int n, const std::string& word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

/// Says which of the motions the sum of r r' leaves free; "" when none.
std::string free_motions(const double* held, Model model, int n_components) {
  const int n = n_components == 1 || model == Model::axisymmetric ? 1 : n_components == 2 ? 3 : 6;
  const int n_translations = n == 1 ? 1 : n_components;
  const auto n_free = [&](int size) {
    std::vector<double> block(static_cast<std::size_t>(size * size));
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j)
        block[static_cast<std::size_t>(i * size + j)] = held[i * 6 + j];
    const std::vector<double> values = fem::symmetric_eigenvalues(std::move(block), size);
    const double largest = *std::max_element(values.begin(), values.end());
    return static_cast<int>(std::count_if(values.begin(), values.end(), [&](double v) {
      return !(v > rounding * largest) || largest == 0;
    }));
  };
  const int all = n_free(n), translations = n_free(n_translations);
  if (all == 0) return "";
  if (n_components == 1) return "its temperature";
  const int moves = std::min(all, translations), turns = all - moves;
  if (moves == 0) return count(turns, "rotation");
  return turns == 0 ? count(moves, "translation")
                    : count(moves, "translation") + " and " + count(turns, "rotation");
}

/// Middle and size of the bounding box. Collective.
std::pair<Vec3, double> extent(const mesh::Mesh& mesh) {
  std::array<double, 6> bounds;
  bounds.fill(std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < mesh.coordinates.size(); ++i) {
    bounds[i % 3] = std::min(bounds[i % 3], mesh.coordinates[i]);
    bounds[3 + i % 3] = std::min(bounds[3 + i % 3], -mesh.coordinates[i]);
  }
  mesh.comm().min(std::span<double>(bounds));
  const Vec3 low{bounds[0], bounds[1], bounds[2]}, high{-bounds[3], -bounds[4], -bounds[5]};
  return {(low + high) * 0.5, norm(high - low)};
}

}  // namespace

std::vector<GlobalIndex> connected_parts(const mesh::Mesh& mesh) {
  const auto n_local = static_cast<std::size_t>(mesh.nodes->n_local());
  mesh::UnionFind parts(n_local);
  for (const mesh::CellBlock& block : mesh.cells) {
    const auto n_nodes = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
    for (std::size_t first = 0; first < block.nodes.size(); first += n_nodes)
      for (std::size_t a = 1; a < n_nodes; ++a)
        parts.join(block.nodes[first], block.nodes[first + a]);
  }
  std::vector<std::size_t> root(n_local);
  for (std::size_t i = 0; i < n_local; ++i)
    root[i] = static_cast<std::size_t>(parts.root(static_cast<Index>(i)));
  std::vector<GlobalIndex> label(mesh.nodes->ids().begin(), mesh.nodes->ids().end());
  for (bool changed = true; mesh.comm().any(changed);) {
    changed = false;
    std::vector<GlobalIndex> lowest(n_local, std::numeric_limits<GlobalIndex>::max());
    for (std::size_t i = 0; i < n_local; ++i) lowest[root[i]] = std::min(lowest[root[i]], label[i]);
    for (std::size_t i = 0; i < n_local; ++i) {
      changed = changed || lowest[root[i]] != label[i];
      label[i] = lowest[root[i]];
    }
    update_ghosts(*mesh.nodes, std::span<GlobalIndex>(label));
    for (std::size_t i = 0; i < n_local; ++i) changed = changed || label[i] != lowest[root[i]];
  }
  return label;
}

std::vector<FreePart> free_parts(const mesh::Mesh& mesh, const fem::Constraints& constraints,
                                 Model model, const std::vector<Index>& held) {
  const int n = constraints.n_components();
  const std::vector<GlobalIndex> label = connected_parts(mesh);
  const auto [middle, size] = extent(mesh);
  std::map<GlobalIndex, PartSums> sums;
  const auto hold = [&](PartSums& part, const Vec3& direction, const Vec3& x) {
    const std::vector<double> r = motions_along(direction, (x - middle) * (1 / size), model, n);
    for (std::size_t i = 0; i < r.size(); ++i)
      for (std::size_t j = 0; j < r.size(); ++j) part.held[i * 6 + j] += r[i] * r[j];
  };
  for (std::size_t node = 0; node < static_cast<std::size_t>(mesh.nodes->n_owned()); ++node) {
    PartSums& part = sums[label[node]];
    part.label = label[node];
    const Vec3 x = fem::node_place(mesh, static_cast<Index>(node));
    ++part.n_nodes;
    for (int d = 0; d < 3; ++d) part.centre[d] += x[d];
    const fem::NodeConstraint* constraint = constraints.at(static_cast<Index>(node));
    if (constraint == nullptr) continue;
    for (int direction = 0; direction < n; ++direction) {
      if (constraint->mask[direction] != 0) continue;
      Vec3 q{};
      for (int i = 0; i < n; ++i) q[i] = constraint->frame[i * n + direction];
      hold(part, q, x);
    }
  }
  for (Index node : held)
    hold(sums[label[static_cast<std::size_t>(node)]], {1, 0, 0}, fem::node_place(mesh, node));

  std::vector<PartSums> mine;
  for (const auto& [id, part] : sums) mine.push_back(part);
  std::map<GlobalIndex, PartSums> whole;
  for (const PartSums& part : mesh.comm().all_gather(std::span<const PartSums>(mine))) {
    PartSums& sum = whole[part.label];
    sum.n_nodes += part.n_nodes;
    for (int d = 0; d < 3; ++d) sum.centre[d] += part.centre[d];
    for (int i = 0; i < 36; ++i) sum.held[i] += part.held[i];
  }
  std::vector<FreePart> free;
  for (const auto& [id, part] : whole) {
    const std::string motions = free_motions(part.held, model, n);
    const double each = 1.0 / static_cast<double>(part.n_nodes);
    if (!motions.empty())
      free.push_back(
          {id, part.n_nodes, Vec3{part.centre[0], part.centre[1], part.centre[2]} * each, motions});
  }
  return free;
}

}  // namespace trestle::physics
