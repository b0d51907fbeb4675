#include "physics/fixed_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "fem/discretisation.hpp"
#include "physics/loads.hpp"
#include "physics/rollers.hpp"

namespace trestle::physics {
namespace {

using fem::Vec3;

class FixedValues {
 public:
  FixedValues(const mesh::Mesh& mesh, int n_components, double time)
      : mesh_(mesh), n_components_(n_components), time_(time) {}

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
              group.group.called()));
    rollers_.push_back({&group, entry});
  }

  Prescribed take() {
    RollerDirections rolling = roller_directions(mesh_, rollers_);
    fixed_.insert(fixed_.end(), rolling.fixed.begin(), rolling.fixed.end());
    return {std::move(fixed_), std::move(rolling.blunt_edges)};
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
      if (!(norm(direction) > 0)) {
        const Vec3 x = fem::node_place(mesh_, node);
        throw CaseError(
            normal.where,
            fmt::format(
                "roller: the normal has length 0 at node {}, ({:g}, {:g}, {:g}) m: give one "
                "that vanishes at no node of \"{}\"",
                mesh_.node_tags[static_cast<std::size_t>(node)], x[0], x[1], x[2],
                group.group.called()));
      }
      fixed_.push_back({node, entry, direction * (1 / norm(direction)), 0.0});
    }
  }

  const mesh::Mesh& mesh_;
  int n_components_;
  double time_;
  std::vector<fem::FixedDirection> fixed_;
  std::vector<Roller> rollers_;
};

}  // namespace

Prescribed prescribed(const mesh::Mesh& mesh, const Problem& problem, int n_components, double time,
                      GroupLookup& lookup) {
  FixedValues values(mesh, n_components, time);
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
  return values.take();
}

}  // namespace trestle::physics
