#include "physics/initial_state.hpp"

#include <algorithm>
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

}  // namespace

solver::Vector<double> initial_field(const Analysis& analysis, const std::string& name,
                                     double otherwise) {
  const mesh::Mesh& mesh = analysis.mesh();
  const int n = analysis.n_components();
  solver::Vector<double> field(analysis.discretisation().device(), mesh.nodes, n, "solution");
  std::vector<double> values(static_cast<std::size_t>(field.n_local()), otherwise);
  std::vector<Index> all(static_cast<std::size_t>(mesh.nodes->n_local()));
  std::iota(all.begin(), all.end(), 0);
  GroupLookup lookup(mesh);
  mesh.comm().agree([&] {
    for (const Condition& entry : analysis.problem().initial) {
      if (entry.type != name) continue;
      const Value& value = entry.parameters.at("value");
      if (entry.on.empty()) set_values(mesh, value, n, all, values);
      for (const GroupRef& ref : entry.on)
        if (const mesh::LocalGroup* group = lookup.find(
                ref, {.cells = true, .facets = true, .edges = true, .points = true}, "initial"))
          set_values(mesh, value, n, group->nodes, values);
    }
  });
  lookup.raise();
  const auto target = gpu::write(field.values());
  std::copy(values.begin(), values.end(), target.begin());
  return field;
}

}  // namespace trestle::physics
