#include "physics/near_null.hpp"

#include <fmt/format.h>

#include "fem/discretisation.hpp"
#include "physics/loads.hpp"
#include "physics/materials.hpp"

namespace trestle::physics {

void check_near_null(const NearNull& near_null, int n_own, GroupLookup& lookup) {
  constexpr int most = 6;
  const auto n = static_cast<int>(near_null.fields.size());
  const int kept = near_null.replace ? 0 : n_own;
  if (n + kept > most)
    lookup.add(near_null.where,
               fmt::format("solver.near_null: {} fields{} are more than the {} that multigrid "
                           "takes{}",
                           n, kept > 0 ? fmt::format(" beside {} of the physics", kept) : "", most,
                           kept > 0 ? "; with replace: true those of the physics go" : ""));
}

std::vector<std::vector<double>> near_null_fields(const NearNull& near_null, const mesh::Mesh& mesh,
                                                  int n_components) {
  std::vector<std::vector<double>> fields;
  mesh.comm().agree([&] {
    for (const Value& field : near_null.fields) {
      const std::vector<fem::Expression> components = components_of(field, n_components);
      std::vector<double>& values = fields.emplace_back();
      for (Index node = 0; node < mesh.nodes->n_owned(); ++node)
        for (const fem::Expression& component : components)
          values.push_back(value_at(component, fem::node_place(mesh, node)));
    }
  });
  return fields;
}

}  // namespace trestle::physics
