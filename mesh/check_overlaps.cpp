// Refuses cells that overlap without a common facet.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/error.hpp"
#include "core/number.hpp"
#include "mesh/check_hanging.hpp"
#include "mesh/overlaps.hpp"

namespace trestle::mesh {
namespace {

/// A facet of the boundary by its vertices.
struct FlatFacet {
  std::array<GlobalIndex, 4> nodes;
  std::size_t n;
  Point normal;  // out of its cell, as long as the facet is large
  Point middle;

  std::span<const GlobalIndex> vertices() const { return std::span(nodes).first(n); }
};

FlatFacet flat_facet(const RawMesh& mesh, const CellFacet& at) {
  const BoundaryFacet on = boundary_facet(mesh, at);
  FlatFacet facet{{}, on.n_vertices, {}, {}};
  std::copy_n(on.nodes.begin(), facet.n, facet.nodes.begin());
  for (const Point& x : on.points())
    for (std::size_t d = 0; d < 3; ++d) facet.middle[d] += x[d] / static_cast<double>(facet.n);
  const Point u = minus(on.x[facet.n == 2 ? 1 : 2], on.x[0]);
  const Point v = facet.n == 4 ? minus(on.x[3], on.x[1]) : minus(on.x[2], on.x[1]);
  facet.normal = facet.n == 2 ? Point{u[1], -u[0], 0} : cross(u, v);
  return facet;
}

/// Where the boundary is hollow, as in a bore, flat facets cut into the room beside the curved
/// surface that they stand for, and a body that fills this room overlaps them.
class HollowBoundary {
 public:
  HollowBoundary(const RawMesh& mesh, const std::vector<CellFacet>& boundary)
      : facets_(flat_facets(mesh, boundary)), tree_(boxes(mesh)) {}

  /// Whether a point in a cell may be outside of the curved surface.
  bool may_leave_out(const Point& x) const {
    bool found = false;
    tree_.for_each_meeting({x, x}, [&](std::size_t place) {
      const auto f = static_cast<std::size_t>(tree_.order()[place]);
      const FlatFacet& facet = facets_[f];
      found =
          std::abs(dot(facet.normal, minus(x, facet.middle))) <= rise_[f] * length(facet.normal);
      return !found;
    });
    return found;
  }

 private:
  static std::vector<FlatFacet> flat_facets(const RawMesh& mesh,
                                            const std::vector<CellFacet>& boundary) {
    std::vector<FlatFacet> facets;
    for (const CellFacet& at : boundary) facets.push_back(flat_facet(mesh, at));
    return facets;
  }

  /// Boxes around the facets and the arcs over them; and `rise_`, how high these are. A surface
  /// that leaves a facet at the angle a rises tan(a / 2) of the way to its middle. Its normal at a
  /// vertex is the mean of those of the facets there, which is why twice as much is allowed; where
  /// facets turn by more than 80 degrees they are no arc.
  std::vector<Bounds> boxes(const RawMesh& mesh) {
    std::vector<Point> normals(static_cast<std::size_t>(mesh.n_nodes), Point{});
    for (const FlatFacet& facet : facets_)
      for (const GlobalIndex v : facet.vertices())
        for (std::size_t d = 0; d < 3; ++d)
          normals[static_cast<std::size_t>(v)][d] += facet.normal[d];
    constexpr double steepest = 0.643;  // sin 40 degrees: half of the turn
    std::vector<Bounds> boxes;
    std::vector<FlatFacet> hollow;
    for (const FlatFacet& facet : facets_) {
      double rise = 0;
      Bounds box = empty_box;
      for (const GlobalIndex v : facet.vertices()) {
        const Point x = point_of(mesh, v), normal = normals[static_cast<std::size_t>(v)];
        extend(box, x);
        const Point inwards = minus(facet.middle, x);
        const double sine = dot(normal, inwards) / (length(normal) * length(inwards));
        if (sine < steepest)
          rise = std::max(rise, 2 * length(inwards) * std::tan(std::asin(sine) / 2));
      }
      if (rise == 0) continue;
      for (std::size_t d = 0; d < 3; ++d) {
        box.lower[d] -= rise;
        box.upper[d] += rise;
      }
      hollow.push_back(facet);
      rise_.push_back(rise);
      boxes.push_back(box);
    }
    facets_ = std::move(hollow);
    return boxes;
  }

  std::vector<FlatFacet> facets_;  // those that the arcs of `rise_` are over
  std::vector<double> rise_;
  BoxTree tree_;
};

/// Overlaps of which each pair of elements counts once, up to many, and the first few are kept.
class Overlaps {
 public:
  static constexpr std::size_t shown = 5, most = 100000;

  void add(const Overlap& overlap) {
    deepest_ = std::max(deepest_, overlap.depth);
    if (pairs_.size() == most || !pairs_.insert(overlap.tags).second) return;
    if (first_.size() < shown) first_.push_back(overlap);
  }
  std::size_t size() const { return pairs_.size(); }
  double deepest() const { return deepest_; }
  const Overlap& first() const { return first_[0]; }
  /// "3 and 10, 4 and 12".
  std::string text() const {
    std::vector<Overlap> in_order = first_;
    std::ranges::sort(in_order, {}, &Overlap::tags);
    std::string text;
    for (const Overlap& overlap : in_order)
      text +=
          fmt::format("{}{} and {}", text.empty() ? "" : ", ", overlap.tags[0], overlap.tags[1]);
    return text;
  }

 private:
  std::set<std::array<std::int64_t, 2>> pairs_;
  std::vector<Overlap> first_;
  double deepest_ = 0;
};

}  // namespace

void check_overlaps(RawMesh& mesh, const std::vector<CellFacet>& boundary) {
  constexpr double too_deep = 0.2;
  std::optional<HollowBoundary> hollow;
  Overlaps deep, shallow;
  const bool done =
      find_overlaps(mesh, boundary_cells(mesh, boundary), [&](const Overlap& overlap) {
        if (overlap.depth >= too_deep && !hollow) hollow.emplace(mesh, boundary);
        if (overlap.depth >= too_deep && !hollow->may_leave_out(overlap.ball.centre))
          deep.add(overlap);
        else
          shallow.add(overlap);
        return deep.size() <= Overlaps::shown;
      });
  if (deep.size() > 0)
    throw MeshError(fmt::format(
        "elements {}{} overlap (near {}) and share no facet: bodies that were meshed each on its "
        "own reach into each other, or one is there twice; in Gmsh, make them parts of one with "
        "BooleanFragments and mesh again, or leave one out",
        deep.text(), deep.size() > Overlaps::shown ? " and others" : "",
        text_of(deep.first().ball.centre)));
  if (shallow.size() > 0)
    mesh.warnings.push_back(fmt::format(
        "{} of elements that share no facet overlap a little, by up to {:.2g} of the largest ball "
        "in the smaller one ({}, near {}): where bodies only touch, this is the error of flat "
        "facets on a curved surface; take smaller elements there, or mesh the bodies together.",
        counted(static_cast<std::int64_t>(shallow.size()), "pair"), shallow.deepest(),
        shallow.text(), text_of(shallow.first().ball.centre)));
  if (!done)
    mesh.warnings.push_back(
        "Too many cells lie near each other to look for overlaps everywhere: they were looked for "
        "in the first of them only.");
}

}  // namespace trestle::mesh
