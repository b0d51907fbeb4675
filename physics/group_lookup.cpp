#include "physics/group_lookup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace trestle::physics {
namespace {

std::string group_name(const mesh::Group& group) {
  return group.name.empty() ? std::to_string(group.tag) : group.name;
}

bool allowed(const Targets& targets, int group_dim, int mesh_dim) {
  if (group_dim == mesh_dim) return targets.cells;
  if (group_dim == mesh_dim - 1) return targets.facets;
  if (group_dim == 0) return targets.points;
  return targets.edges;
}

std::string allowed_words(const Targets& targets, int mesh_dim) {
  std::vector<std::string> words;
  if (targets.cells) words.push_back("cells");
  if (targets.facets) words.push_back("facets");
  if (targets.edges && mesh_dim == 3) words.push_back("edges");
  if (targets.points) words.push_back("points");
  return fmt::format("{}", fmt::join(words, " or "));
}

}  // namespace

std::string entity_word(int group_dim, int mesh_dim) {
  if (group_dim == mesh_dim) return "cells";
  if (group_dim == mesh_dim - 1) return "facets";
  return group_dim == 0 ? "points" : "edges";
}

std::string GroupLookup::known_groups() const {
  if (mesh_.groups.empty()) return "the mesh has no physical groups: give it some in the mesher";
  std::vector<std::string> lines;
  for (const mesh::LocalGroup& group : mesh_.groups)
    lines.push_back(fmt::format("{} ({} {})", group_name(group.group), group.n_global,
                                entity_word(group.group.dim, mesh_.dim)));
  return fmt::format("groups of the mesh: {}", fmt::join(lines, ", "));
}

const mesh::LocalGroup* GroupLookup::find(const GroupRef& ref, const Targets& targets,
                                          const std::string& user) {
  const mesh::LocalGroup* other = nullptr;
  for (int dim = mesh_.dim; dim >= 0; --dim) {
    const mesh::LocalGroup* group = mesh_.find_group(ref.name, dim);
    if (group == nullptr) continue;
    if (!allowed(targets, dim, mesh_.dim)) {
      other = group;
      continue;
    }
    if (group->n_global > 0) return group;
    add(ref.where,
        fmt::format(
            "{}: group \"{}\" of the mesh is empty (no {}); mesh it, or take it out of the case",
            user, ref.name, entity_word(dim, mesh_.dim)));
    return nullptr;
  }
  if (other != nullptr) {
    add(ref.where, fmt::format("{}: group \"{}\" holds {}, but this needs {}; {}", user, ref.name,
                               entity_word(other->group.dim, mesh_.dim),
                               allowed_words(targets, mesh_.dim), known_groups()));
    return nullptr;
  }
  std::vector<std::string> names;
  for (const mesh::LocalGroup& group : mesh_.groups) names.push_back(group_name(group.group));
  const std::string near = nearest_word(ref.name, names);
  add(ref.where,
      fmt::format("{}: the mesh has no group \"{}\"{}; {}", user, ref.name,
                  near.empty() ? "" : fmt::format(", did you mean \"{}\"?", near), known_groups()));
  return nullptr;
}

void GroupLookup::add(const SourcePosition& where, const std::string& message) {
  note(ExitCode::case_file, to_string(where) + ": " + message);
}

void GroupLookup::note(ExitCode code, const std::string& message) {
  if (!code_ || code == ExitCode::case_file) code_ = code;
  if (std::find(mistakes_.begin(), mistakes_.end(), message) == mistakes_.end())
    mistakes_.push_back(message);
}

bool GroupLookup::take(const std::function<void()>& step) {
  try {
    step();
    return true;
  } catch (const CaseError& error) {
    for (const std::string& message : error.messages()) note(error.code(), message);
  } catch (const Error& error) {
    note(error.code(), error.what());
  }
  return false;
}

void GroupLookup::raise() const {
  if (!code_) return;
  const CaseError all(mistakes_);
  if (*code_ == ExitCode::case_file) throw all;
  throw Error(*code_, all.what());
}

}  // namespace trestle::physics
