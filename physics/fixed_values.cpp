#include "physics/fixed_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "fem/cells/element.hpp"
#include "fem/discretisation.hpp"
#include "physics/loads.hpp"

namespace trestle::physics {
namespace {

using fem::Vec3;

/// Area vectors of a facet at its own nodes, out of the parent cell [m^2 per reference area].
std::vector<std::pair<Index, Vec3>> facet_normals(const mesh::Mesh& mesh,
                                                  const mesh::Entity& entity) {
  const mesh::CellBlock& parent = mesh.cells[static_cast<std::size_t>(entity.parent_block)];
  const mesh::CellTraits& cell = mesh::traits(parent.type);
  const mesh::SubCell& facet = cell.facets[static_cast<std::size_t>(entity.parent_facet)];
  const mesh::CellTraits& traits = mesh::traits(facet.type);
  const std::size_t first =
      static_cast<std::size_t>(entity.parent_cell) * static_cast<std::size_t>(cell.n_nodes);
  std::vector<std::pair<Index, Vec3>> normals;
  for (int a = 0; a < traits.n_nodes; ++a) {
    double dN[9 * 3];
    fem::shape_functions(facet.type, traits.nodes[static_cast<std::size_t>(a)].data(), nullptr, dN);
    Vec3 t1{}, t2{};
    for (int b = 0; b < traits.n_nodes; ++b) {
      const Vec3 x =
          fem::node_place(mesh, parent.nodes[first + facet.nodes[static_cast<std::size_t>(b)]]);
      t1 += dN[3 * b] * x;
      t2 += dN[3 * b + 1] * x;
    }
    if (mesh.dim == 2) t2 = Vec3{0, 0, 1};
    normals.emplace_back(parent.nodes[first + facet.nodes[static_cast<std::size_t>(a)]],
                         cross(t1, t2));
  }
  return normals;
}

/// The normals of a group's surface at each owned node: those within 30 degrees are averaged,
/// others stay apart.
std::map<Index, std::vector<Vec3>> surface_normals(const mesh::Mesh& mesh,
                                                   const mesh::LocalGroup& group) {
  std::map<Index, std::vector<Vec3>> sums;
  for (const mesh::Entity& entity : group.entities)
    for (const auto& [node, area] : facet_normals(mesh, entity)) {
      if (node >= mesh.nodes->n_owned()) continue;
      std::vector<Vec3>& at_node = sums[node];
      const auto near =
          std::find_if(at_node.begin(), at_node.end(), [&, a = area](const Vec3& sum) {
            return dot(sum, a) > std::cos(M_PI / 6) * norm(sum) * norm(a);
          });
      if (near == at_node.end())
        at_node.push_back(area);
      else
        *near += area;
    }
  for (auto& [node, normals] : sums)
    for (Vec3& normal : normals) normal *= 1 / norm(normal);
  return sums;
}

class FixedValues {
 public:
  FixedValues(const mesh::Mesh& mesh, int n_components, double time,
              std::vector<fem::FixedDirection>& fixed)
      : mesh_(mesh), n_components_(n_components), time_(time), fixed_(fixed) {}

  void add_values(int entry, const Value& value, const mesh::LocalGroup& group) {
    const bool zero_vector = value.components.size() == 1 && n_components_ > 1;
    for (Index node : group.nodes) {
      if (node >= mesh_.nodes->n_owned()) continue;
      for (int d = 0; d < n_components_; ++d) {
        if (!zero_vector && static_cast<std::size_t>(d) >= value.components.size()) continue;
        const auto& component = value.components[zero_vector ? 0 : static_cast<std::size_t>(d)];
        if (!component) continue;
        Vec3 direction{};
        direction[d] = 1;
        fixed_.push_back(
            {node, entry, direction, value_at(*component, fem::node_place(mesh_, node), time_)});
      }
    }
  }

  void add_roller(int entry, const Condition& condition, const mesh::LocalGroup& group) {
    if (const auto given = condition.parameters.find("normal"); given != condition.parameters.end())
      return add_directions(entry, given->second, group);
    if (group.group.dim != mesh_.dim - 1)
      throw CaseError(
          condition.where,
          fmt::format(
              "roller on \"{}\": only a surface has a normal; give one: roller: {{normal: [..]}}",
              group.group.name));
    for (const auto& [node, normals] : surface_normals(mesh_, group))
      for (const Vec3& normal : normals) fixed_.push_back({node, entry, normal, 0.0});
  }

 private:
  void add_directions(int entry, const Value& normal, const mesh::LocalGroup& group) {
    const std::vector<fem::Expression> components = components_of(normal, n_components_);
    for (Index node : group.nodes) {
      if (node >= mesh_.nodes->n_owned()) continue;
      Vec3 direction{};
      for (int d = 0; d < n_components_; ++d)
        direction[d] =
            value_at(components[static_cast<std::size_t>(d)], fem::node_place(mesh_, node));
      if (!(norm(direction) > 0)) throw CaseError(normal.where, "roller: the normal has length 0");
      fixed_.push_back({node, entry, direction * (1 / norm(direction)), 0.0});
    }
  }

  const mesh::Mesh& mesh_;
  int n_components_;
  double time_;
  std::vector<fem::FixedDirection>& fixed_;
};

}  // namespace

std::vector<fem::FixedDirection> fixed_directions(const mesh::Mesh& mesh, const Problem& problem,
                                                  int n_components, double time,
                                                  GroupLookup& lookup) {
  std::vector<fem::FixedDirection> fixed;
  FixedValues values(mesh, n_components, time, fixed);
  const std::vector<ConditionInfo>& infos = find_description(problem.physics)->conditions;
  for (std::size_t entry = 0; entry < problem.conditions.size(); ++entry) {
    const Condition& condition = problem.conditions[entry];
    const auto info = std::find_if(infos.begin(), infos.end(), [&](const ConditionInfo& i) {
      return i.name == condition.type;
    });
    if (!info->fixes_values) continue;
    for (const GroupRef& ref : condition.on) {
      const mesh::LocalGroup* group = lookup.find(ref, info->targets, condition.type);
      if (group == nullptr) continue;
      lookup.take([&] {
        mesh.comm().agree([&] {
          if (condition.type == "roller")
            values.add_roller(static_cast<int>(entry), condition, *group);
          else
            values.add_values(static_cast<int>(entry), condition.parameters.at("value"), *group);
        });
      });
    }
  }
  return fixed;
}

}  // namespace trestle::physics
