// From the names of a case to the groups of a mesh, with every mistake collected.
#pragma once

#include <string>
#include <vector>

#include "mesh/mesh.hpp"
#include "physics/description.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

/// Collects mistakes of a case that only the mesh can show; the same on all ranks.
class GroupLookup {
 public:
  explicit GroupLookup(const mesh::Mesh& mesh) : mesh_(mesh) {}

  /// The group of the highest dimension that `targets` allows, or null after noting the mistake: no
  /// such group, wrong dimension, or empty.
  const mesh::LocalGroup* find(const GroupRef& ref, const Targets& targets,
                               const std::string& user);
  void add(const SourcePosition& where, const std::string& message);
  /// Throws CaseError with all mistakes, if there are any.
  void raise() const;

 private:
  std::string known_groups() const;
  const mesh::Mesh& mesh_;
  std::vector<std::string> mistakes_;
};

/// "cells", "facets", "edges" or "points" for a dimension in a mesh.
std::string entity_word(int group_dim, int mesh_dim);

}  // namespace trestle::physics
