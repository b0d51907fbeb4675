// What is wrong with a text that is no YAML, in plain words and with what to do.
#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace trestle::io {

/// What the YAML parser says of a text: the problem, and the structure in which it met it ("" when
/// there is none). Lines and columns start at 1; columns count characters.
struct YamlProblem {
  std::string problem;
  std::string context;
  int line = 0, column = 0;
  int context_line = 0, context_column = 0;
};

/// The mistake behind `problem` of `text`, at the place where it was made: an open bracket or
/// quote is told where it opens, a missing colon in its own line.
CaseError explain_yaml_problem(std::string_view text, const std::string& file,
                               const YamlProblem& problem);

/// "key: value" for a text like "key:value", whose colon has no blank behind it; "" for others.
std::string with_blank_behind_colon(std::string_view text);

}  // namespace trestle::io
