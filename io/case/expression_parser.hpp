// The parser of expressions in a case file: text to the postfix program of fem/expression.hpp.
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"
#include "fem/expression.hpp"

namespace trestle::io {

/// Limits of an expression; what passes them is refused.
constexpr std::size_t max_expression_bytes = 10'000;
constexpr int max_expression_depth = 64;
constexpr std::size_t max_expression_instructions = 10'000;

/// Compiles `text`, whose first character stands at `where`. An expression without x, y, z, t and
/// T becomes a plain number. Throws CaseError with the place in the file and in the expression, and
/// with the `key` whose value it is.
///
///     or  and  not  < <= > >= == !=  + -  * /  - (sign)  ^      weakest to strongest; ^ to the
///     right if(c, a, b)  min(a, b, ...)  max(a, b, ...)  abs sqrt exp log log10 sin cos tan asin
///     acos atan atan2(y, x) sinh cosh tanh floor ceil sign step pow(a, b) hypot(a, b)   pi  e
///
/// A comparison gives 1 or 0, and what is not 0 counts as true; step(x) is 1 for x >= 0.
fem::Expression parse_expression(const std::string& text, const SourcePosition& where,
                                 const std::string& key = "");

/// A name with what it does, for the reference page.
struct ExpressionName {
  std::string name;
  std::string help;
};
const std::vector<ExpressionName>& expression_functions();

}  // namespace trestle::io
