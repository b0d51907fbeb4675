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

/// A rigid motion: translations, then rotations, as in `motions_along`.
using Motion = std::vector<double>;

/// Components of a motion that are smaller than this share of its largest are rounding.
constexpr double negligible = 1e-6;

/// Number of eigenvalues of the leading block of `held` that are zero.
int count_free(const double* held, int size) {
  std::vector<double> block(static_cast<std::size_t>(size * size));
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) block[static_cast<std::size_t>(i * size + j)] = held[i * 6 + j];
  const std::vector<double> values = fem::symmetric_eigenvalues(std::move(block), size);
  const double largest = *std::max_element(values.begin(), values.end());
  return static_cast<int>(std::count_if(values.begin(), values.end(), [&](double v) {
    return !(v > rounding * largest) || largest == 0;
  }));
}

/// A basis of the null space, which has `n_free` dimensions, of the leading n x n block of the
/// positive semidefinite `held`: elimination with diagonal pivots leaves the unknowns of the
/// smallest pivots free [Golub and Van Loan 2013, sec. 4.2.8].
std::vector<Motion> null_space(const double* held, int n, int n_free) {
  double a[6][6];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i][j] = held[i * 6 + j];
  std::vector<int> pivots, free;
  for (int i = 0; i < n; ++i) free.push_back(i);
  while (static_cast<int>(free.size()) > n_free) {
    const auto best =
        std::max_element(free.begin(), free.end(), [&](int i, int j) { return a[i][i] < a[j][j]; });
    const int p = *best;
    free.erase(best);
    pivots.push_back(p);
    const double pivot = a[p][p];
    for (int j = 0; j < n; ++j) a[p][j] /= pivot;
    for (int i = 0; i < n; ++i) {
      const double factor = i == p ? 0 : a[i][p];
      for (int j = 0; j < n; ++j) a[i][j] -= factor * a[p][j];
    }
  }
  std::vector<Motion> basis;
  for (int f : free) {
    Motion motion(static_cast<std::size_t>(n), 0.0);
    motion[static_cast<std::size_t>(f)] = 1;
    for (int p : pivots) motion[static_cast<std::size_t>(p)] = -a[p][f];
    basis.push_back(std::move(motion));
  }
  return basis;
}

/// Row-reduces `motions` by their rotations first: what is left without one is a pure translation.
void separate_rotations(std::vector<Motion>& motions, std::size_t n_translations) {
  std::size_t row = 0;
  const std::size_t n = motions.front().size();
  for (std::size_t k = 0; k < n && row < motions.size(); ++k) {
    const std::size_t column = (n_translations + k) % n;
    const auto best = std::max_element(
        motions.begin() + static_cast<std::ptrdiff_t>(row), motions.end(),
        [&](const auto& a, const auto& b) { return std::abs(a[column]) < std::abs(b[column]); });
    const double pivot = (*best)[column];
    if (std::abs(pivot) < negligible) continue;
    std::swap(motions[row], *best);
    for (double& value : motions[row]) value /= pivot;
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const double factor = i == row ? 0 : motions[i][column];
      for (std::size_t j = 0; j < n; ++j) motions[i][j] -= factor * motions[row][j];
    }
    ++row;
  }
}

/// "x" for a direction along an axis, else "(0.6, 0.8, 0)".
std::string direction_word(Vec3 v) {
  v = v * (1 / norm(v));
  for (int d = 0; d < 3; ++d) {
    if (std::abs(v[d]) < negligible) v[d] = 0;
    if (1 - std::abs(v[d]) < negligible) return std::string(1, "xyz"[d]);
  }
  const double first = v[0] != 0 ? v[0] : v[1];
  if (first < 0) v = v * -1.0;
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", v[0], v[1], v[2]);
}

std::string count(std::size_t n, const std::string& word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

/// Where the model is: the middle of its bounding box, and the size that motions are scaled with.
struct Extent {
  Vec3 middle;
  double size;
};

/// Says which rigid motions are left and in which direction, about which axis.
std::string describe(std::vector<Motion> motions, std::size_t n_translations,
                     const Extent& extent) {
  separate_rotations(motions, n_translations);
  const std::size_t n = motions.front().size();
  std::vector<Vec3> moves, turns, turns_moves;
  for (const Motion& m : motions) {
    const Vec3 t{m[0], n_translations > 1 ? m[1] : 0, n_translations > 2 ? m[2] : 0};
    const Vec3 w = n == 6 ? Vec3{m[3], m[4], m[5]} : n == 3 ? Vec3{0, 0, m[2]} : Vec3{};
    (norm(w) > negligible ? turns : moves).push_back(norm(w) > negligible ? w : t);
    if (norm(w) > negligible) turns_moves.push_back(t);
  }
  std::string text = moves.empty() ? "" : count(moves.size(), "translation");
  const bool all = moves.size() == n_translations && motions.size() == n;
  std::string list;
  for (const Vec3& t : moves) list += (list.empty() ? "along " : ", ") + direction_word(t);
  if (!list.empty() && !all) text += " (" + list + ")";
  if (turns.empty()) return text;
  text += (text.empty() ? "" : " and ") + count(turns.size(), "rotation");
  list.clear();
  for (std::size_t i = 0; i < turns.size(); ++i) {
    // The points x of the axis stand still: t + w x = 0 for the part of t across w.
    Vec3 still =
        extent.middle + cross(turns[i], turns_moves[i]) * (extent.size / dot(turns[i], turns[i]));
    for (int d = 0; d < 3; ++d)
      if (std::abs(still[d]) < negligible * extent.size) still[d] = 0;
    list += fmt::format("{}about the axis along {} through ({:.4g}, {:.4g}, {:.4g}) m",
                        list.empty() ? "" : ", ", direction_word(turns[i]), still[0], still[1],
                        still[2]);
  }
  return all ? text : text + " (" + list + ")";
}

/// Says which of the motions the sum of r r' leaves free; "" when none.
std::string free_motions(const double* held, Model model, int n_components, const Extent& extent) {
  const int n = n_components == 1 || model == Model::axisymmetric ? 1 : n_components == 2 ? 3 : 6;
  const int n_free = count_free(held, n);
  if (n_free == 0) return "";
  if (n_components == 1) return "its temperature";
  if (n == 1) return "1 translation (along y, the axis)";
  return describe(null_space(held, n, n_free), static_cast<std::size_t>(n_components), extent);
}

/// Of the bounding box. Collective.
Extent extent_of(const mesh::Mesh& mesh) {
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
      parts.join(std::span(block.nodes).subspan(first, n_nodes));
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
  const Extent extent = extent_of(mesh);
  std::map<GlobalIndex, PartSums> sums;
  const auto hold = [&](PartSums& part, const Vec3& direction, const Vec3& x) {
    const std::vector<double> r =
        motions_along(direction, (x - extent.middle) * (1 / extent.size), model, n);
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
    const std::string motions = free_motions(part.held, model, n, extent);
    const double each = 1.0 / static_cast<double>(part.n_nodes);
    if (!motions.empty())
      free.push_back(
          {id, part.n_nodes, Vec3{part.centre[0], part.centre[1], part.centre[2]} * each, motions});
  }
  return free;
}

}  // namespace trestle::physics
