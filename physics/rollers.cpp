#include "physics/rollers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "fem/cells/element.hpp"
#include "fem/discretisation.hpp"

namespace trestle::physics {
namespace {

using fem::Vec3;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// A facet of a roller, once however many groups hold it.
struct RollingFacet {
  const mesh::Entity* entity;
  int entry;  // the last that holds it
  auto place() const {
    return std::tuple(entity->parent_block, entity->parent_cell, entity->parent_facet);
  }
};

std::vector<RollingFacet> facets_of(std::span<const Roller> rollers) {
  std::vector<RollingFacet> facets;
  for (const Roller& roller : rollers)
    for (const mesh::Entity& entity : roller.group->entities)
      facets.push_back({&entity, roller.entry});
  std::ranges::sort(facets, [](const RollingFacet& a, const RollingFacet& b) {
    return a.place() != b.place() ? a.place() < b.place() : a.entry > b.entry;
  });
  const auto rest = std::ranges::unique(facets, {}, &RollingFacet::place);
  facets.erase(rest.begin(), rest.end());
  return facets;
}

/// Area vectors of a facet at its own nodes, out of the parent cell [m^2 per reference area].
std::vector<std::pair<Index, Vec3>> facet_normals(const mesh::Mesh& mesh,
                                                  const mesh::Entity& entity) {
  const mesh::CellBlock& parent = mesh.cells[at(entity.parent_block)];
  const mesh::CellTraits& cell = mesh::traits(parent.type);
  const mesh::SubCell& facet = cell.facets[at(entity.parent_facet)];
  const mesh::CellTraits& traits = mesh::traits(facet.type);
  const std::size_t first = at(entity.parent_cell) * at(cell.n_nodes);
  std::vector<std::pair<Index, Vec3>> normals;
  for (int a = 0; a < traits.n_nodes; ++a) {
    double dN[9 * 3];
    fem::shape_functions(facet.type, traits.nodes[at(a)].data(), nullptr, dN);
    Vec3 t1{}, t2{};
    for (int b = 0; b < traits.n_nodes; ++b) {
      const Vec3 x = fem::node_place(mesh, parent.nodes[first + facet.nodes[at(b)]]);
      t1 += dN[3 * b] * x;
      t2 += dN[3 * b + 1] * x;
    }
    if (mesh.dim == 2) t2 = Vec3{0, 0, 1};
    normals.emplace_back(parent.nodes[first + facet.nodes[at(a)]], cross(t1, t2));
  }
  return normals;
}

/// Whether two directions, whichever way they point, are up to 30 or 60 degrees apart. Regular
/// polygons have such angles: rounding must not tell one of their edges from the next.
bool within(double degrees, const Vec3& a, const Vec3& b) {
  constexpr double of_rounding = 1e-6;
  return std::abs(dot(a, b)) > std::cos((degrees + of_rounding) * M_PI / 180) * norm(a) * norm(b);
}

/// One smooth side of the surface at a node; its area vectors point to the same side of it.
struct Side {
  std::vector<Vec3> areas;
  int entry;

  /// The one that an area continues, or null.
  const Vec3* neighbour_of(const Vec3& area) const {
    const auto near =
        std::ranges::find_if(areas, [&](const Vec3& one) { return within(30, one, area); });
    return near == areas.end() ? nullptr : &*near;
  }
  void join(const Side& other, double sense) {
    for (const Vec3& area : other.areas) areas.push_back(sense * area);
    entry = std::max(entry, other.entry);
  }
  Vec3 normal() const {
    Vec3 sum{};
    for (const Vec3& area : areas) sum += area;
    if (norm(sum) < 1e-6 * norm(areas.front())) sum = areas.front();  // folded back on itself
    return sum * (1 / norm(sum));
  }
};

void add(std::vector<Side>& sides, const Vec3& area, int entry) {
  Side joined{{area}, entry};
  std::erase_if(sides, [&](const Side& side) {
    const Vec3* near = side.neighbour_of(area);
    if (near != nullptr) joined.join(side, dot(*near, area) < 0 ? -1 : 1);
    return near != nullptr;
  });
  sides.push_back(std::move(joined));
}

bool has_blunt_edge(const std::vector<Vec3>& normals) {
  for (std::size_t i = 0; i < normals.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (within(60, normals[i], normals[j])) return true;
  return false;
}

}  // namespace

RollerDirections roller_directions(const mesh::Mesh& mesh, std::span<const Roller> rollers) {
  std::map<Index, std::vector<Side>> sides_of;
  for (const RollingFacet& facet : facets_of(rollers))
    for (const auto& [node, area] : facet_normals(mesh, *facet.entity))
      if (node < mesh.nodes->n_owned()) add(sides_of[node], area, facet.entry);
  RollerDirections directions;
  for (const auto& [node, sides] : sides_of) {
    std::vector<Vec3> normals;
    for (const Side& side : sides) {
      normals.push_back(side.normal());
      directions.fixed.push_back({node, side.entry, normals.back(), 0.0});
    }
    if (has_blunt_edge(normals)) directions.blunt_edges.push_back(node);
  }
  return directions;
}

}  // namespace trestle::physics
