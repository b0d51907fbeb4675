#include "io/case/overrides.hpp"

#include <memory>

#include "core/number.hpp"

namespace trestle::io {
namespace {

/// An override as it was typed.
struct Typed {
  const std::string& option;
  const std::string& text;
};

[[noreturn]] void refuse(const Typed& typed, const std::string& why) {
  throw Error(ExitCode::usage, typed.option + " " + in_quotes(typed.text) + ": " + why);
}

std::vector<std::string> split_path(const Typed& typed, const std::string& path) {
  std::vector<std::string> keys(1);
  for (char c : path) {
    if (c == '.')
      keys.emplace_back();
    else
      keys.back() += c;
  }
  for (const std::string& key : keys)
    if (key.empty()) refuse(typed, "a key is empty; write KEY.KEY=VALUE");
  if (keys.size() > static_cast<std::size_t>(max_yaml_depth)) refuse(typed, "the path is too deep");
  return keys;
}

YamlNode parse_value(const Typed& typed, const std::string& value, const std::string& place) {
  YamlNode empty;
  empty.file = std::make_shared<const std::string>(place);
  if (value.find_first_not_of(' ') == std::string::npos) return empty;
  Faults faults;
  try {
    YamlNode node = parse_yaml(value, place, faults);
    faults.raise();
    return node;
  } catch (const CaseError& error) {
    refuse(typed, std::string("the value is no YAML: ") + error.what());
  }
}

/// The place of a tree counts from its own text; an override has no line.
void drop_lines(YamlNode& node) {
  node.line = node.column = 0;
  for (YamlNode& item : node.items) drop_lines(item);
  for (YamlEntry& entry : node.entries) {
    entry.line = entry.column = 0;
    drop_lines(entry.value);
  }
}

YamlNode& step(YamlNode& node, const std::string& key, const Typed& typed, const YamlNode& value) {
  if (node.is_list()) {
    const ParsedInteger index = parse_integer(key);
    const auto n = static_cast<std::int64_t>(node.items.size());
    if (!index.ok() || index.value < 0 || index.value >= n)
      refuse(typed, in_quotes(key) + " is not a place in a list of " + std::to_string(n) +
                        ", which count from 0");
    return node.items[static_cast<std::size_t>(index.value)];
  }
  if (node.is_scalar()) refuse(typed, "there is a value, not a mapping, before " + in_quotes(key));
  if (node.is_null()) {
    node = value;
    node.kind = YamlNode::Kind::mapping;
    node.text.clear();
    node.items.clear();
    node.entries.clear();
  }
  if (YamlNode* known = node.find(key)) return *known;
  YamlNode missing;
  missing.file = value.file;
  node.entries.push_back({key, missing, 0, 0});
  return node.entries.back().value;
}

}  // namespace

void apply_overrides(YamlNode& root, const std::vector<std::string>& overrides,
                     const std::string& option) {
  for (const std::string& text : overrides) {
    const Typed typed{option, text};
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) refuse(typed, "there is no =; write KEY.KEY=VALUE");
    const std::string path = text.substr(0, equals);
    YamlNode value = parse_value(typed, text.substr(equals + 1), option + " " + path);
    drop_lines(value);
    YamlNode* node = &root;
    for (const std::string& key : split_path(typed, path)) node = &step(*node, key, typed, value);
    *node = value;
  }
}

}  // namespace trestle::io
