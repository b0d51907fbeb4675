#include "io/case/compare.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "io/case/yaml.hpp"
#include "io/escape.hpp"

namespace trestle::io {
namespace {

/// Keys, and sections with a point at the end, that change nothing of what was computed so far.
constexpr std::array<std::string_view, 12> allowed_keys{"title",
                                                        "analysis.end",
                                                        "output.",
                                                        "expect",
                                                        "checkpoint.",
                                                        "stop.",
                                                        "watchdog.",
                                                        "solver.device",
                                                        "solver.memory",
                                                        "solver.precision",
                                                        "solver.tolerance",
                                                        "solver.max_iterations"};

bool is_allowed(const std::string& key) {
  return std::any_of(allowed_keys.begin(), allowed_keys.end(), [&](std::string_view allowed) {
    if (allowed.ends_with('.')) return key.starts_with(allowed);
    return key.starts_with(allowed) && (key.size() == allowed.size() || key[allowed.size()] == '[');
  });
}

void flatten(const YamlNode& node, const std::string& path,
             std::map<std::string, std::string>& all) {
  if (node.is_mapping())
    for (const YamlEntry& entry : node.entries)
      flatten(entry.value, path.empty() ? entry.key : path + "." + entry.key, all);
  else if (node.is_list())
    for (std::size_t i = 0; i < node.items.size(); ++i)
      flatten(node.items[i], path + "[" + std::to_string(i) + "]", all);
  else
    all[path] = node.is_null() ? "~" : node.text;
}

std::map<std::string, std::string> keys_of(const std::string& text, const std::string& what) {
  Faults faults;
  std::map<std::string, std::string> keys;
  try {
    flatten(parse_yaml(text, what, faults), "", keys);
    faults.raise();
  } catch (const CaseError& e) {
    throw Error(ExitCode::no_checkpoint,
                "the case in the checkpoint cannot be read: " + std::string(e.what()));
  }
  keys.erase("mesh.file");
  return keys;
}

}  // namespace

std::vector<CaseDifference> compare_cases(const std::string& before, const std::string& now) {
  if (before == now) return {};
  const auto old_keys = keys_of(before, "the case of the checkpoint"),
             new_keys = keys_of(now, "the case");
  std::map<std::string, CaseDifference> differences;
  const auto value = [](const auto& keys, const std::string& key) {
    const auto found = keys.find(key);
    return found == keys.end() ? std::string() : found->second;
  };
  for (const auto* keys : {&old_keys, &new_keys})
    for (const auto& [key, text] : *keys)
      if (value(old_keys, key) != value(new_keys, key))
        differences[key] = {key, value(old_keys, key), value(new_keys, key), is_allowed(key)};
  std::vector<CaseDifference> list;
  for (const auto& [key, difference] : differences) list.push_back(difference);
  return list;
}

std::string to_string(const std::vector<CaseDifference>& differences) {
  std::string text;
  for (const CaseDifference& difference : differences) {
    const auto shown = [](const std::string& value) {
      return value.empty() ? std::string("(not given)") : escape_terminal(value);
    };
    text += (text.empty() ? "  " : "\n  ") + escape_terminal(difference.key) + ": " +
            shown(difference.before) + " -> " + shown(difference.now);
  }
  return text;
}

}  // namespace trestle::io
