#include "mesh/mesh.hpp"

#include <algorithm>

namespace trestle::mesh {

const LocalGroup* Mesh::find_group(const std::string& name, int group_dim) const {
  const LocalGroup* best = nullptr;
  for (const LocalGroup& candidate : groups) {
    const Group& group = candidate.group;
    const bool named = group.called() == name;
    if (!named || (group_dim >= 0 && group.dim != group_dim)) continue;
    if (best == nullptr || group.dim > best->group.dim) best = &candidate;
  }
  return best;
}

bool Mesh::set_has_group(int set, int group) const {
  const std::vector<int>& members = group_sets[static_cast<std::size_t>(set)];
  return std::binary_search(members.begin(), members.end(), group);
}

}  // namespace trestle::mesh
