#include "physics/initial_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace trestle::physics {
namespace {

/// Sets the components of one entry at some nodes.
void set_values(const mesh::Mesh& mesh, const Value& value, int n, std::span<const Index> nodes,
                std::span<double> field) {
  const std::vector<fem::Expression> components = components_of(value, n);
  for (Index node : nodes)
    for (int d = 0; d < n; ++d)
      field[static_cast<std::size_t>(node * n + d)] =
          value_at(components[static_cast<std::size_t>(d)], fem::node_place(mesh, node));
}

Groups groups_of(const Condition& entry, GroupLookup& lookup) {
  Groups groups;
  for (const GroupRef& ref : entry.on)
    if (const mesh::LocalGroup* group = lookup.find(
            ref, {.cells = true, .facets = true, .edges = true, .points = true}, "initial"))
      groups.push_back(group);
  return groups;
}

}  // namespace

void check_initial(const Problem& problem, const mesh::Mesh& mesh, GroupLookup& lookup) {
  if (problem.initial.empty()) return;
  std::vector<std::uint8_t> given(static_cast<std::size_t>(mesh.nodes->n_local()), 0);
  for (const Condition& entry : problem.initial) {
    if (entry.on.empty()) std::fill(given.begin(), given.end(), std::uint8_t{1});
    for (const mesh::LocalGroup* group : groups_of(entry, lookup))
      for (Index node : group->nodes) given[static_cast<std::size_t>(node)] = 1;
  }
  const auto n_owned = static_cast<std::ptrdiff_t>(mesh.nodes->n_owned());
  const GlobalIndex missing = mesh.comm().sum(
      static_cast<GlobalIndex>(std::count(given.begin(), given.begin() + n_owned, 0)));
  const ResultInfo& field = find_description(problem.physics)->results.front();
  // A solid is at rest and undeformed where nothing is said; a temperature of 0 would be no
  // default.
  if (missing == 0 || field.components > 1) return;
  lookup.add(
      problem.initial.front().where,
      fmt::format("initial: {} of {} nodes have no {} at time 0; give one for the whole body "
                  "first, in an entry without `on`",
                  missing, mesh.comm().sum(GlobalIndex{n_owned}), field.name));
}

solver::Vector<double> initial_field(const Analysis& analysis, const std::string& name,
                                     double otherwise) {
  const mesh::Mesh& mesh = analysis.mesh();
  const int n = analysis.n_components();
  solver::Vector<double> field(analysis.discretisation().device(), mesh.nodes, n, "solution");
  std::vector<double> values(static_cast<std::size_t>(field.n_local()), otherwise);
  std::vector<Index> all(static_cast<std::size_t>(mesh.nodes->n_local()));
  std::iota(all.begin(), all.end(), 0);
  GroupLookup lookup(mesh);
  for (const Condition& entry : analysis.problem().initial) {
    if (entry.type != name) continue;
    const Groups groups = groups_of(entry, lookup);
    mesh.comm().agree([&] {
      const Value& value = entry.parameters.at("value");
      if (entry.on.empty()) set_values(mesh, value, n, all, values);
      for (const mesh::LocalGroup* group : groups) set_values(mesh, value, n, group->nodes, values);
    });
  }
  lookup.raise();
  const auto target = gpu::write(field.values());
  std::copy(values.begin(), values.end(), target.begin());
  return field;
}

}  // namespace trestle::physics
