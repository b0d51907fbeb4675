// Reads option tables from a YAML tree: the strict check of keys, types and bounds, and the values.
#pragma once

#include <optional>
#include <string>

#include "core/option_table.hpp"
#include "io/case/faults.hpp"
#include "io/case/yaml.hpp"
#include "physics/problem.hpp"

namespace trestle::io {

/// Adds to `faults` whatever in `node` is not as `root` says: unknown and missing keys, wrong
/// types, values out of range.
void check_options(const YamlNode& node, const OptionInfo& root, Faults& faults);

/// The value of a leaf other than a field; monostate when it is wrong, which goes to `faults`
/// unless that is null. `path` names the key in messages.
OptionValue read_option(const YamlNode& node, const OptionInfo& info, const std::string& path,
                        Faults* faults);

/// A field, as `read_option`. A scalar gives one component, also where a list is allowed.
std::optional<physics::Value> read_field(const YamlNode& node, const OptionInfo& info,
                                         const std::string& path, Faults* faults);

/// The number that a decimal comma cut in two, such as "0.5" where `first` is 0 and `second`, right
/// behind its comma, 5; "" when these two are no such pair. `where` is the place of `second`.
std::string split_at_comma(const YamlNode& first, const std::string& second,
                           const SourcePosition& where);

/// "; the decimal separator is a point: write 0.5" for a list with such a pair, else "".
std::string comma_hint(const YamlNode& list);

/// Whether `key` stands in `node` with a value that is wrong, which is left to `check_options`.
template <class Options>
bool is_wrong(const YamlNode& node, const OptionTable<Options>& table, std::string_view key) {
  const YamlNode* value = node.find(key);
  for (const Option<Options>& option : table.options())
    if (value != nullptr && option.info.name == key)
      return std::holds_alternative<std::monostate>(
          read_option(*value, option.info, option.info.name, nullptr));
  return false;
}

/// Sets the members of `options` whose keys stand in `node` with valid values; what is wrong is
/// left to `check_options`.
template <class Options>
void fill_options(const YamlNode& node, const OptionTable<Options>& table, Options& options) {
  for (const Option<Options>& option : table.options()) {
    const YamlNode* value = node.find(option.info.name);
    if (value == nullptr) continue;
    const OptionValue read = read_option(*value, option.info, option.info.name, nullptr);
    if (!std::holds_alternative<std::monostate>(read)) option.set(options, read);
  }
}

}  // namespace trestle::io
