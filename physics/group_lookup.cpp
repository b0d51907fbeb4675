#include "physics/group_lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/error.hpp"
#include "core/number.hpp"

namespace trestle::physics {
namespace {

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

std::vector<std::uint8_t> cells_of_groups(const mesh::Mesh& mesh, std::size_t block,
                                          const Groups& groups) {
  std::vector<std::uint8_t> set_chosen;
  for (std::size_t set = 0; set < mesh.group_sets.size(); ++set)
    set_chosen.push_back(std::any_of(groups.begin(), groups.end(), [&](const auto* group) {
      return mesh.set_has_group(static_cast<int>(set),
                                static_cast<int>(group - mesh.groups.data()));
    }));
  const std::vector<int>& sets = mesh.cells[block].group_set;
  std::vector<std::uint8_t> chosen(sets.size());
  std::transform(sets.begin(), sets.end(), chosen.begin(),
                 [&](int set) { return set_chosen[static_cast<std::size_t>(set)]; });
  return chosen;
}

GlobalIndex count_internal(const mesh::Mesh& mesh, const mesh::LocalGroup& group) {
  return mesh.comm().sum(GlobalIndex{
      std::count_if(group.entities.begin(), group.entities.end(),
                    [](const mesh::Entity& facet) { return facet.owned && facet.internal; })});
}

std::string entity_word(int group_dim, int mesh_dim) {
  if (group_dim == mesh_dim) return "cell";
  if (group_dim == mesh_dim - 1) return "facet";
  return group_dim == 0 ? "point" : "edge";
}

std::string GroupLookup::known_groups() const {
  if (mesh_.groups.empty()) return "the mesh has no physical groups: give it some in the mesher";
  constexpr std::size_t shown = 30;
  std::vector<std::string> lines;
  for (const mesh::LocalGroup& group : mesh_.groups) {
    if (lines.size() == shown) break;
    lines.push_back(fmt::format("{} ({})", group.group.called(),
                                counted(group.n_global, entity_word(group.group.dim, mesh_.dim))));
  }
  const std::size_t more = mesh_.groups.size() - lines.size();
  return fmt::format("groups of the mesh: {}{}", fmt::join(lines, ", "),
                     more == 0 ? "" : fmt::format(" and {} more: see trestle mesh info", more));
}

std::string GroupLookup::why_empty(int dim) const {
  const bool all = std::all_of(mesh_.groups.begin(), mesh_.groups.end(),
                               [](const mesh::LocalGroup& group) { return group.n_global == 0; });
  if (all)
    return "no element of the mesh is in any group; version 2.2 with all elements saved "
           "(Mesh.SaveAll) leaves the groups out: save version 4.1";
  const std::string word = entity_word(dim, mesh_.dim);
  return dim == mesh_.dim
             ? "it has no cells; mesh it, or take it out of the case"
             : fmt::format(
                   "it has no {}s of a cell; mesh it as a part of the body (embed it), or "
                   "take it out of the case",
                   word);
}

const mesh::LocalGroup* GroupLookup::find(const GroupRef& ref, const Targets& targets,
                                          const std::string& user) {
  const mesh::LocalGroup *other = nullptr, *empty = nullptr;
  Groups found;
  for (int dim = mesh_.dim; dim >= 0; --dim) {
    const mesh::LocalGroup* group = mesh_.find_group(ref.name, dim);
    if (group == nullptr) continue;
    if (allowed(targets, dim, mesh_.dim) && is_also_a_tag(*group, ref, user)) return nullptr;
    if (!allowed(targets, dim, mesh_.dim))
      other = group;
    else if (group->n_global == 0)
      empty = group;
    else
      found.push_back(group);
  }
  if (found.size() == 1) return found.front();
  if (!found.empty()) return one_of(found, ref, user);
  if (empty != nullptr) {
    add(ref.where, fmt::format("{}: group \"{}\" of the mesh is empty: {}", user, ref.name,
                               why_empty(empty->group.dim)));
    return nullptr;
  }
  if (other != nullptr) {
    add(ref.where, fmt::format("{}: group \"{}\" holds {}s, but this needs {}; {}", user, ref.name,
                               entity_word(other->group.dim, mesh_.dim),
                               allowed_words(targets, mesh_.dim), known_groups()));
    return nullptr;
  }
  std::vector<std::string> names;
  for (const mesh::LocalGroup& group : mesh_.groups) names.push_back(group.group.called());
  const std::string near = nearest_word(ref.name, names);
  add(ref.where,
      fmt::format("{}: the mesh has no group \"{}\"{}; {}", user, ref.name,
                  near.empty() ? "" : fmt::format(", did you mean \"{}\"?", near), known_groups()));
  return nullptr;
}

bool GroupLookup::is_also_a_tag(const mesh::LocalGroup& group, const GroupRef& ref,
                                const std::string& user) {
  for (const mesh::LocalGroup& other : mesh_.groups) {
    const bool same = other.group.dim == group.group.dim && other.group.called() == ref.name;
    if (&other == &group || !same) continue;
    const auto [named, nameless] =
        group.group.name.empty() ? std::pair{&other, &group} : std::pair{&group, &other};
    const std::string word = entity_word(group.group.dim, mesh_.dim);
    add(ref.where,
        fmt::format("{}: \"{}\" is the name of a group of the mesh (tag {}, {}) and the tag of one "
                    "without a name ({}), and either could be meant here; give the latter a name "
                    "in the mesh",
                    user, ref.name, named->group.tag, counted(named->n_global, word),
                    counted(nameless->n_global, word)));
    return true;
  }
  return false;
}

const mesh::LocalGroup* GroupLookup::one_of(const Groups& found, const GroupRef& ref,
                                            const std::string& user) {
  const std::vector<Index>& nodes = found.front()->nodes;
  bool differ = false;
  for (const mesh::LocalGroup* group : found) {
    // Every facet of a mesh lies in its cells, so that these must be the same nodes.
    const bool cells = found.front()->group.dim == mesh_.dim;
    differ = differ || (cells && group->nodes.size() != nodes.size()) ||
             !std::includes(nodes.begin(), nodes.end(), group->nodes.begin(), group->nodes.end());
  }
  if (!mesh_.comm().any(differ)) return found.front();
  std::vector<std::string> meanings;
  for (const mesh::LocalGroup* group : found)
    meanings.push_back(counted(group->n_global, entity_word(group->group.dim, mesh_.dim)));
  add(ref.where,
      fmt::format("{}: \"{}\" is the name of several groups of the mesh, of {}, and any of them "
                  "could be meant here; give them different names in the mesh",
                  user, ref.name, fmt::join(meanings, " and of ")));
  return nullptr;
}

void GroupLookup::add(const SourcePosition& where, const std::string& message) {
  note(ExitCode::case_file, with_place(where, message));
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
