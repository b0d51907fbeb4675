#include "io/case/case.hpp"

#include <filesystem>
#include <set>

#include "core/number.hpp"
#include "io/case/file.hpp"
#include "io/case/idle_keys.hpp"
#include "io/case/options.hpp"
#include "io/case/overrides.hpp"
#include "io/case/parts.hpp"
#include "io/case/tables.hpp"

namespace trestle::io {
namespace {

/// The physics that the case names; for a misspelt word the nearest one, so that the rest can be
/// checked too; null when there is no telling.
const physics::Description* chosen_physics(const YamlNode& root) {
  const YamlNode* word = root.find("physics");
  if (word == nullptr || !word->is_scalar()) return nullptr;
  if (const physics::Description* known = physics::find_description(word->text)) return known;
  std::vector<std::string> names;
  for (const physics::Description& known : physics::descriptions()) names.push_back(known.name);
  return physics::find_description(nearest_word(word->text, names));
}

/// The tree of keys without what depends on the physics.
OptionInfo info_without_physics() {
  OptionInfo info = case_info(physics::descriptions().front());
  for (OptionInfo& entry : info.entries)
    for (const char* name : {"model", "analysis", "materials", "initial", "boundary", "cases",
                             "output", "expect", "exact"})
      if (entry.name == name) entry.kind = OptionKind::anything;
  for (OptionInfo& entry : info.entries)
    if (entry.name == "solver")
      for (OptionInfo& key : entry.entries)
        if (key.name == "near_null") key.kind = OptionKind::anything;
  return info;
}

/// Brings `combine` from its forms as a mapping to the list form.
void list_combinations(YamlNode& root) {
  YamlNode* combine = root.find("combine");
  if (combine == nullptr || !combine->is_mapping()) return;
  YamlNode list = *combine;
  list.kind = YamlNode::Kind::list;
  list.entries.clear();
  const YamlNode* name = combine->find("name");
  if (name != nullptr && name->is_scalar() && combine->find("of") != nullptr) {
    list.items.push_back(*combine);
  } else {
    for (const YamlEntry& entry : combine->entries) {
      YamlNode item = entry.value, key = entry.value;
      item.kind = YamlNode::Kind::mapping;
      item.text.clear();
      item.items.clear();
      key = item;
      key.kind = YamlNode::Kind::scalar;
      key.text = entry.key;
      key.line = entry.line;
      key.column = entry.column;
      item.entries = {{"name", key, entry.line, entry.column},
                      {"of", entry.value, entry.line, entry.column}};
      list.items.push_back(item);
    }
  }
  *combine = list;
}

}  // namespace

std::string beside_case(const std::string& case_file, const std::string& path) {
  return (std::filesystem::path(case_file).parent_path() / path).string();
}

std::vector<physics::GroupRef> read_groups(const YamlNode* on, Faults& faults) {
  std::vector<physics::GroupRef> groups;
  std::set<std::string> known;
  const auto add = [&](const YamlNode& name) {
    if (!name.is_scalar() || name.text.empty()) return;
    if (!known.insert(name.text).second)
      faults.add(name.where(), "the group " + in_quotes(name.text) + " stands twice in the list");
    groups.push_back({name.text, name.where()});
  };
  if (on != nullptr && on->is_list())
    for (const YamlNode& name : on->items) add(name);
  else if (on != nullptr)
    add(*on);
  return groups;
}

Case parse_case(const std::string& text, const std::string& path,
                const std::vector<std::string>& overrides, const std::string& working_directory) {
  Faults faults;
  const std::vector<OptionInfo> known = info_without_physics().entries;
  YamlNode root = parse_yaml_of("case file", known, text, path, faults);
  if (!root.is_mapping()) {
    check_options(root, info_without_physics(), faults);
    faults.raise();
  }
  apply_overrides(root, overrides);
  list_combinations(root);
  flatten_checkpoint_rule(root);
  const physics::Description* physics = chosen_physics(root);
  check_options(root, physics != nullptr ? case_info(*physics) : info_without_physics(), faults);

  Case c;
  c.file = path;
  c.name = std::filesystem::path(path).stem().string();
  if (const YamlNode* title = root.find("title"); title != nullptr && title->is_scalar())
    c.title = title->text;
  read_mesh(root, c, faults);
  read_solver(root, c, faults);
  read_stop(root, c);
  read_checkpoint(root, c, faults);
  if (physics != nullptr) {
    read_problem(root, *physics, c, faults);
    read_near_null(root, *physics, c);
    read_analysis(root, *physics, c, faults);
    read_output(root, *physics, c, faults);
    read_expectations(root, *physics, c, faults);
    read_exact(root, *physics, c, faults);
    refuse_idle_keys(root, c, faults);
  }
  faults.raise();
  c.warnings = cold_temperatures(root, *physics);
  for (std::string& warning : implausible_values(c.problem))
    c.warnings.push_back(std::move(warning));
  c.resolved = resolved_case(c, *physics, working_directory);
  return c;
}

Case read_case(const Comm& comm, const std::string& path,
               const std::vector<std::string>& overrides) {
  const CaseFile file = read_case_file(comm, path);
  // The same bytes give the same mistakes on every rank, so each throws its own.
  Case c;
  std::vector<std::string> mistakes;
  std::exception_ptr failure;
  try {
    c = parse_case(file.text, path, overrides, file.working_directory);
  } catch (const CaseError& error) {
    mistakes = error.messages();
  } catch (...) {
    failure = std::current_exception();
  }
  comm.raise_if_any(failure);
  if (!mistakes.empty()) throw CaseError(mistakes);
  return c;
}

}  // namespace trestle::io
