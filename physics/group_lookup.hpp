// From the names of a case to the groups of a mesh, with every mistake collected.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mesh/mesh.hpp"
#include "physics/models/description.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

using Groups = std::vector<const mesh::LocalGroup*>;

/// Collects mistakes of a case that only the mesh can show; the same on all ranks.
class GroupLookup {
 public:
  explicit GroupLookup(const mesh::Mesh& mesh) : mesh_(mesh) {}

  /// The group of this name that `targets` allows, or null after noting the mistake: no such group,
  /// wrong dimension, empty, or several groups that could be meant, such as one of that name and
  /// one without a name of that tag. Of several, the one of the
  /// highest dimension is taken where it holds the nodes of the others too, as a surface and the
  /// set of its nodes do. Collective.
  const mesh::LocalGroup* find(const GroupRef& ref, const Targets& targets,
                               const std::string& user);
  /// Notes a mistake; one that was noted before, by another load case, counts once.
  void add(const SourcePosition& where, const std::string& message);
  /// Runs a step, which fails with the same Error on all ranks or on none, and notes its message;
  /// false when it failed.
  bool take(const std::function<void()>& step);
  /// Throws all mistakes, if there are any: a CaseError, or an Error with the code of the first
  /// one where no mistake is of the case file.
  void raise() const;

 private:
  std::string known_groups() const;
  std::string why_empty(int dim) const;
  /// Whether two groups of one dimension are called so, a name and a tag; noted as a mistake.
  bool is_also_a_tag(const mesh::LocalGroup& group, const GroupRef& ref, const std::string& user);
  const mesh::LocalGroup* one_of(const Groups& found, const GroupRef& ref, const std::string& user);
  const mesh::Mesh& mesh_;
  void note(ExitCode code, const std::string& message);
  std::vector<std::string> mistakes_;
  std::optional<ExitCode> code_;
};

/// chosen[cell]: 1 where a cell of the block is in one of the groups.
std::vector<std::uint8_t> cells_of_groups(const mesh::Mesh& mesh, std::size_t block,
                                          const Groups& groups);

/// How many facets of a group lie between two cells. Collective.
GlobalIndex count_internal(const mesh::Mesh& mesh, const mesh::LocalGroup& group);

/// "cell", "facet", "edge" or "point" for a dimension in a mesh.
std::string entity_word(int group_dim, int mesh_dim);

}  // namespace trestle::physics
