// A YAML document as a tree that knows the place of every key and value; strict and bounded.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/option_table.hpp"
#include "io/case/faults.hpp"

namespace trestle::io {

/// Limits of a case file; what passes them is refused.
constexpr std::size_t max_yaml_bytes = std::size_t{1} << 20;
constexpr int max_yaml_depth = 64;
constexpr int max_yaml_nodes = 200'000;

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, list, mapping };

  Kind kind = Kind::null;
  std::string text;     // of a scalar
  bool quoted = false;  // a scalar in quotes or a block: a text, never a number or a word
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;

  SourcePosition where() const { return {file ? *file : "", line, column}; }
  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_mapping() const { return kind == Kind::mapping; }
  /// The value of `key` in a mapping, or null.
  const YamlNode* find(std::string_view key) const;
  YamlNode* find(std::string_view key);
  const YamlEntry* find_entry(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  YamlNode value;
  int line = 0;  // of the key
  int column = 0;

  /// Without a line where the value came from elsewhere: from an override.
  SourcePosition where() const {
    const bool here = value.line > 0;
    return {value.file ? *value.file : "", here ? line : 0, here ? column : 0};
  }
};

/// "a list", "a mapping", "nothing", "the text "abc"".
std::string describe(const YamlNode& node);

/// The one document of `text`; positions name `file`. Throws CaseError on what is no YAML and on
/// what a case file must not have: several documents, nothing at all, aliases, anchors, tags,
/// invalid UTF-8, control characters, tabs in the indentation, no-break spaces, keys that are no
/// text, too much or too deep. A key that comes twice is added to `faults`, and its first value
/// stays.
YamlNode parse_yaml(const std::string& text, const std::string& file, Faults& faults);
/// The same of a `kind` ("case file") whose root has some of the keys `known`. Throws CaseError
/// that shows nothing of what stands in `text` where it has none of them: it is another file.
YamlNode parse_yaml_of(const char* kind, const std::vector<OptionInfo>& known,
                       const std::string& text, const std::string& file, Faults& faults);

}  // namespace trestle::io
