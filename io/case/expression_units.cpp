#include "io/case/expression_units.hpp"

#include <array>
#include <cmath>

#include "core/number.hpp"
#include "core/units.hpp"
#include "io/case/expression_parser.hpp"

namespace trestle::io {
namespace {

const std::string rule = "an expression takes no unit, it is in SI with coordinates in metres";

/// What to write in SI for a text with units.
std::string instead(const std::string& better, std::string_view text) {
  return rule + ": write " + in_quotes(better) + " for " + in_quotes(text);
}

double factor_of(const Unit& unit) { return unit.factor * std::pow(10.0, unit.exponent); }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The operator between values that `text` begins with; "" where there is none. The last ones are
/// the minus sign, the en dash and the cross.
std::string_view operator_at(std::string_view text) {
  static constexpr std::array<std::string_view, 7> all{"+",      "-",      "*",     "/",
                                                       "\u2212", "\u2013", "\u00D7"};
  for (const std::string_view sign : all)
    if (text.starts_with(sign)) return sign;
  return "";
}

bool is_expression(std::string_view text) {
  try {
    parse_expression(std::string(text), {});
    return true;
  } catch (const CaseError&) {
    return false;
  }
}

/// Whether `sign` at `at` calculates with the quantity before it, in `wanted`, instead of joining
/// its unit.
bool calculates(std::string_view text, std::size_t at, std::string_view sign, const Unit& unit,
                const Dimension& wanted) {
  const std::string_view operand = text.substr(at + sign.size());
  if (sign == "+") return true;
  if (sign != "*" && sign != "/") return text[at - 1] == ' ' || operand.starts_with(' ');
  const bool is_unit = parse_unit(operand).ok();
  return is_expression(operand) && (!is_unit || unit.dimension == wanted);
}

}  // namespace

std::string quantity_in_expression(std::string_view text, std::string_view expected) {
  const Dimension wanted = parse_unit(expected.empty() ? "1" : expected).unit.dimension;
  const std::size_t n = number_length(text);
  for (std::size_t at = text.size() - 1; n > 0 && at > n; --at) {
    const std::string_view sign = operator_at(text.substr(at));
    const std::string_view unit = trimmed(text.substr(n, at - n));
    const ParsedUnit parsed = parse_unit(unit);
    if (sign.empty() || !parsed.ok() || !calculates(text, at, sign, parsed.unit, wanted)) continue;
    const std::string_view quantity = trimmed(text.substr(0, at));
    const ParsedNumber value = parse_quantity(quantity, unit);
    return value.ok() ? instead(format_number(value.value), quantity) : value.fault;
  }
  return "";
}

std::string unit_behind_expression(std::string_view expression, std::string_view unit) {
  const ParsedUnit parsed = parse_unit(unit);
  if (!parsed.ok()) return "";
  const std::string before(trimmed(expression));
  const std::string factor = format_number(factor_of(parsed.unit));
  const double offset = parsed.unit.offset;
  return instead((factor == "1" ? "" : factor + "*") + "(" + before + ")" +
                     (offset == 0 ? "" : " + " + format_number(offset)),
                 before + " " + std::string(unit));
}

std::string unit_as_factor(std::string_view unit) {
  const ParsedUnit parsed = parse_unit(unit);
  if (!parsed.ok()) return "";
  if (parsed.unit.offset != 0) return rule + ": write temperatures in K";
  return instead(format_number(factor_of(parsed.unit)), unit);
}

std::string missing_product(std::string_view text) {
  const std::size_t n = number_length(text);
  const std::string_view factor = trimmed(text.substr(n));
  const std::string product = std::string(text.substr(0, n)) + "*" + std::string(factor);
  if (n == 0 || factor.empty() || parse_unit(factor).ok() || !is_expression(product)) return "";
  return "a * is missing between the factors: write " + product;
}

std::string missing_number(std::string_view text, std::string_view expected) {
  const ParsedUnit parsed = parse_unit(text);
  const Dimension wanted = parse_unit(expected.empty() ? "1" : expected).unit.dimension;
  if (!parsed.ok() || parsed.unit.dimension != wanted || number_length(text) > 0) return "";
  return "a number is missing before the unit: write 1 " + std::string(text);
}

}  // namespace trestle::io
