// Keys that would be without effect in the setting of a case.
#pragma once

#include <string>
#include <vector>

#include "io/case/case.hpp"
#include "io/case/faults.hpp"
#include "io/case/yaml.hpp"

namespace trestle::io {

struct IdleKey {
  std::string section, key;
  std::string why;  // and what to do, in one sentence
};

/// Keys of `solver`, `analysis` and `checkpoint` that are known and right by themselves and would
/// do nothing here, such as `solver.restart` with method cg. A value that says what is done anyway,
/// such as precision double, is none. What one analysis alone takes is refused elsewhere.
std::vector<IdleKey> idle_keys(const Case& c);

/// Adds those that stand in the case.
void refuse_idle_keys(const YamlNode& root, const Case& c, Faults& faults);

/// The keys of a section that its resolved copy leaves out, so that the copy can be read back.
std::vector<std::string> idle_in(const std::vector<IdleKey>& idle, const std::string& section);

}  // namespace trestle::io
