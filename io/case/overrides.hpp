// Overrides from the command line: --set a.b.0.c=value, applied to the tree before it is checked.
#pragma once

#include <string>
#include <vector>

#include "io/case/yaml.hpp"

namespace trestle::io {

/// Puts each `key.path=value` into `root`; `value` is YAML, whole numbers in the path are places in
/// lists. Missing mappings on the way are made. Throws Error(64) for what is no override: no `=`,
/// an empty key, a value that is no YAML, a path through a value or past the end of a list.
/// `option` is how messages call the option of the command line.
void apply_overrides(YamlNode& root, const std::vector<std::string>& overrides,
                     const std::string& option = "--set");

}  // namespace trestle::io
