#include "core/units.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "core/error.hpp"

namespace trestle {
namespace {

struct Symbol {
  std::string_view name;
  double factor;
  int exponent;
  Dimension dimension;  // m kg s K A mol
  bool prefixes;
  double offset = 0;
};

const std::vector<Symbol>& symbols() {
  static const std::vector<Symbol> all{
      {"1", 1, 0, {}, false},
      {"%", 1, -2, {}, false},
      {"m", 1, 0, {1}, true},
      {"g", 1, -3, {0, 1}, true},
      {"s", 1, 0, {0, 0, 1}, true},
      {"K", 1, 0, {0, 0, 0, 1}, true},
      {"A", 1, 0, {0, 0, 0, 0, 1}, true},
      {"mol", 1, 0, {0, 0, 0, 0, 0, 1}, true},
      {"N", 1, 0, {1, 1, -2}, true},
      {"Pa", 1, 0, {-1, 1, -2}, true},
      {"J", 1, 0, {2, 1, -2}, true},
      {"W", 1, 0, {2, 1, -3}, true},
      {"Hz", 1, 0, {0, 0, -1}, true},
      {"V", 1, 0, {2, 1, -3, 0, -1}, true},
      {"C", 1, 0, {0, 0, 1, 0, 1}, true},
      {"ohm", 1, 0, {2, 1, -3, 0, -2}, true},
      {"bar", 1, 5, {-1, 1, -2}, true},
      {"L", 1, -3, {3}, true},
      {"t", 1, 3, {0, 1}, false},
      {"min", 60, 0, {0, 0, 1}, false},
      {"h", 3600, 0, {0, 0, 1}, false},
      {"d", 86400, 0, {0, 0, 1}, false},
      {"rad", 1, 0, {}, false},
      {"deg", std::numbers::pi / 180, 0, {}, false},
      {"degC", 1, 0, {0, 0, 0, 1}, false, 273.15},
      {"degF", 5.0 / 9.0, 0, {0, 0, 0, 1}, false, 459.67 * 5.0 / 9.0},
      {"in", 254, -4, {1}, false},
      {"ft", 3048, -4, {1}, false},
      {"lb", 45359237, -8, {0, 1}, false},
      {"lbf", 44482216152605, -13, {1, 1, -2}, false},
      {"psi", 44482216152605 / 64516.0, -5, {-1, 1, -2}, false},
      {"ksi", 44482216152605 / 64516.0, -2, {-1, 1, -2}, false},
  };
  return all;
}

struct Prefix {
  std::string_view name;
  int exponent;
};
constexpr Prefix prefixes[] = {{"n", -9}, {"u", -6}, {"m", -3}, {"c", -2}, {"d", -1},
                               {"h", 2},  {"k", 3},  {"M", 6},  {"G", 9},  {"T", 12}};

std::optional<Unit> find_symbol(std::string_view name) {
  for (const Symbol& symbol : symbols())
    if (symbol.name == name)
      return Unit{symbol.factor, symbol.exponent, symbol.offset, symbol.dimension};
  for (const Symbol& symbol : symbols())
    for (const Prefix& prefix : prefixes)
      if (symbol.prefixes && name.size() == prefix.name.size() + symbol.name.size() &&
          name.starts_with(prefix.name) && name.ends_with(symbol.name))
        return Unit{symbol.factor, symbol.exponent + prefix.exponent, 0, symbol.dimension};
  return std::nullopt;
}

std::vector<std::string> symbol_names() {
  std::vector<std::string> names;
  for (const Symbol& symbol : symbols()) {
    if (symbol.name != "1") names.emplace_back(symbol.name);
    for (const Prefix& prefix : prefixes)
      if (symbol.prefixes) names.push_back(std::string(prefix.name) + std::string(symbol.name));
  }
  return names;
}

/// Symbols for what people write out, or abbreviate in another way.
constexpr std::pair<std::string_view, std::string_view> spelt_out[] = {
    {"celsius", "degC"},   {"centigrade", "degC"}, {"f", "degF"},      {"fahrenheit", "degF"},
    {"kelvin", "K"},       {"metre", "m"},         {"meter", "m"},     {"millimetre", "mm"},
    {"millimeter", "mm"},  {"micron", "um"},       {"inch", "in"},     {"inches", "in"},
    {"feet", "ft"},        {"foot", "ft"},         {"second", "s"},    {"sec", "s"},
    {"minute", "min"},     {"hour", "h"},          {"kilogram", "kg"}, {"ton", "t"},
    {"tonne", "t"},        {"newton", "N"},        {"pascal", "Pa"},   {"megapascal", "MPa"},
    {"gigapascal", "GPa"}, {"watt", "W"},          {"joule", "J"},     {"percent", "%"}};

std::string lower_case(std::string_view text) {
  std::string lower;
  for (char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

/// Known symbols in place of an unknown one, best first: what it spells out, what differs in case
/// alone, what is nearest; of those with the dimension `wanted` where there is one.
std::vector<std::string> alternatives(const std::string& name,
                                      const std::optional<Dimension>& wanted) {
  const std::string lower = lower_case(name);
  for (const auto& [word, symbol] : spelt_out)
    if (lower == word || lower == std::string(word) + "s") return {std::string(symbol)};
  std::vector<std::string> fitting, same_letters;
  for (const bool any_dimension : {false, true}) {
    fitting.clear();
    for (const std::string& symbol : symbol_names())
      if (any_dimension || (wanted && find_symbol(symbol)->dimension == *wanted))
        fitting.push_back(symbol);
    for (const std::string& symbol : fitting)
      if (lower_case(symbol) == lower) same_letters.push_back(symbol);
    if (!same_letters.empty()) break;
    if (any_dimension && wanted) break;
    if (const std::string near = nearest_word(name, fitting); !near.empty()) return {near};
  }
  // Of units that differ in the case of a prefix the large ones are the likely ones: MPa, not mPa.
  std::stable_sort(same_letters.begin(), same_letters.end(), [](const auto& a, const auto& b) {
    return find_symbol(a)->exponent > find_symbol(b)->exponent;
  });
  return same_letters;
}

/// "; known: Pa, bar ...", the units of a dimension without their prefixes; "" where none has it.
std::string known_units(const Dimension& dimension) {
  std::string list;
  for (const Symbol& symbol : symbols())
    if (symbol.dimension == dimension && dimension != Dimension{})
      list += (list.empty() ? "; known: " : ", ") + std::string(symbol.name);
  return list;
}

/// a * b^power.
Unit product(Unit a, const Unit& b, int power) {
  a.factor *= std::pow(b.factor, power);
  a.exponent += b.exponent * power;
  a.offset = 0;
  for (std::size_t i = 0; i < a.dimension.size(); ++i) a.dimension[i] += b.dimension[i] * power;
  return a;
}

/// Signs that people paste: micro, degree, middle dot, superscripts.
std::string plain_signs(std::string_view text) {
  static const std::vector<std::pair<std::string_view, std::string_view>> signs{
      {"\u00B5", "u"},   {"\u03BC", "u"},   {"\u00B0C", "degC"}, {"\u00B0F", "degF"},
      {"\u00B0", "deg"}, {"\u00B7", "*"},   {"\u00B2", "^2"},    {"\u00B3", "^3"},
      {"\u03A9", "ohm"}, {"\u2126", "ohm"}, {"\u2212", "-"}};
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const auto sign = std::find_if(signs.begin(), signs.end(), [&](const auto& pair) {
      return text.substr(at).starts_with(pair.first);
    });
    if (sign == signs.end()) {
      plain += text[at++];
    } else {
      plain += sign->second;
      at += sign->first.size();
    }
  }
  return plain;
}

class UnitParser {
 public:
  /// `wanted`: the dimension that the whole unit should have, for suggestions.
  UnitParser(std::string_view text, const std::optional<Dimension>& wanted)
      : text_(plain_signs(text)), wanted_(wanted) {}

  ParsedUnit parse() {
    const Unit unit = parse_product(0);
    if (fault_.empty() && at_ < text_.size()) fail("unexpected " + in_quotes(text_.substr(at_)));
    return {unit, fault_};
  }

 private:
  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void fail(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }

  Unit parse_product(int depth) {
    bool one = peek() == '1';
    Unit unit = parse_power(depth);
    bool divided = false;
    while (fault_.empty()) {
      const char c = peek();
      if (c == '\0' || c == ')') break;
      const bool divide = c == '/';
      if (c == '/' || c == '*') ++at_;
      if (c == '*' && peek() == '*') {
        fail("write ^ for a power, as in N/mm^2");
        break;
      }
      if (divided && !divide) {
        fail("a product after / needs parentheses, as in W/(m K)");
        break;
      }
      if (one || peek() == '1') {
        if (!(one && divide))
          fail("a unit has no number within, and before it none but that of 1/K");
        one = false;
      }
      divided = divided || divide;
      unit = product(unit, parse_power(depth), divide ? -1 : 1);
    }
    return unit;
  }

  Unit parse_power(int depth) {
    const std::size_t begin = at_;
    Unit unit = parse_factor(depth);
    if (!fault_.empty()) return unit;
    // A symbol has no digits, so that one right behind it can only be its power: mm2, m-2.
    const bool behind = at_ > begin && at_ < text_.size() && is_letter(text_[at_ - 1]) &&
                        (is_digit(text_[at_]) ||
                         (text_[at_] == '-' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])));
    if (!behind && peek() != '^') return unit;
    if (!behind) ++at_;
    const bool negative = peek() == '-';
    if (negative) ++at_;
    const char digit = peek();
    const bool one_digit =
        is_digit(digit) && digit != '0' && (at_ + 1 >= text_.size() || !is_digit(text_[at_ + 1]));
    if (!one_digit) {
      fail("a power of a unit is a whole number from -9 to 9");
      return unit;
    }
    ++at_;
    return product(Unit{}, unit, negative ? '0' - digit : digit - '0');
  }

  Unit parse_factor(int depth) {
    const char c = peek();
    if (c == '(') {
      ++at_;
      if (depth >= 8) {
        fail("parentheses nest deeper than 8");
        return {};
      }
      const Unit unit = parse_product(depth + 1);
      if (fault_.empty() && peek() != ')') fail("a ) is missing");
      ++at_;
      return product(unit, Unit{}, 1);
    }
    return parse_symbol();
  }

  Unit parse_symbol() {
    const std::size_t begin = at_;
    if (peek() == '1' || peek() == '%')
      ++at_;
    else
      while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (name.empty()) {
      fail(begin < text_.size() ? "expected a unit, got " + in_quotes(text_.substr(begin))
                                : "a unit is missing at the end");
      return {};
    }
    if (const auto unit = find_symbol(name)) return *unit;
    const bool alone = name.size() == text_.size();
    std::string hint;
    for (const std::string& symbol : alternatives(name, alone ? wanted_ : std::nullopt))
      hint += (hint.empty() ? ", did you mean " : " or ") + symbol;
    if (hint.empty() && alone && wanted_)
      hint = known_units(*wanted_);
    else if (!hint.empty())
      hint += "?";
    fail("unknown unit " + in_quotes(name) + hint);
    return {};
  }

  std::string text_;
  std::optional<Dimension> wanted_;
  std::size_t at_ = 0;
  std::string fault_;
};

struct Named {
  std::string_view unit;
  std::string_view name;
};
constexpr Named named_units[] = {
    {"m", "a length"},
    {"m^2", "an area"},
    {"m^3", "a volume"},
    {"s", "a time"},
    {"K", "a temperature"},
    {"kg", "a mass"},
    {"kg/m^3", "a density"},
    {"N", "a force"},
    {"N/m^3", "a force per volume"},
    {"m/s", "a speed"},
    {"m/s^2", "an acceleration"},
    {"Pa", "a pressure"},
    {"J", "an energy"},
    {"W", "a power"},
    {"W/m^2", "a heat flux"},
    {"W/m^3", "a heat source"},
    {"W/(m K)", "a heat conductivity"},
    {"W/(m^2 K)", "a heat transfer coefficient"},
    {"J/(kg K)", "a specific heat capacity"},
    {"1/K", "an expansion coefficient"},
    {"Hz", "a frequency"},
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

ParsedUnit parse_unit(std::string_view text, std::optional<Dimension> wanted) {
  if (text.size() > 100) return {{}, "a unit is at most 100 characters long"};
  return UnitParser(trimmed(text), wanted).parse();
}

std::string describe_dimension(std::string_view unit) {
  const Dimension dimension = parse_unit(unit.empty() ? "1" : unit).unit.dimension;
  if (dimension == Dimension{}) return "a pure number";
  for (const Named& known : named_units)
    if (parse_unit(known.unit).unit.dimension == dimension)
      return std::string(known.name) + " (" + std::string(known.unit) + ")";
  return "a value in " + std::string(unit);
}

bool looks_like_quantity(std::string_view text) {
  const std::size_t n = number_length(text);
  const std::string_view rest = trimmed(text.substr(n));
  if (n == 0 || rest.empty() || parse_number(text).refused) return false;
  const char c = rest.front();
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool digit_after_blank = c >= '0' && c <= '9' && text[n] == ' ';
  // The minus sign, the en dash, the middle dot and the cross calculate, as - and * do.
  for (const std::string_view sign : {"\u2212", "\u2013", "\u00B7", "\u00D7"})
    if (rest.starts_with(sign)) return false;
  return letter || c == '%' || digit_after_blank || (c & 0x80) != 0;
}

namespace {

/// The number without the blank before its thousands, as in 210 000 MPa; "" when it has none.
std::string without_blank(std::string_view number, std::string_view rest) {
  const auto digits = [](std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::string_view thousands = rest.substr(0, rest.find(' '));
  const bool grouped = thousands.size() == 3 && digits(thousands) && digits(number);
  return grouped ? std::string(number) + std::string(thousands) : "";
}

/// The number with an e where `rest` is an exponent of Fortran, as in 1.5D+3; "" where it is none.
std::string with_exponent(std::string_view number, std::string_view rest) {
  const bool fortran = rest.size() > 1 && (rest[0] == 'd' || rest[0] == 'D');
  const std::string text = std::string(number) + "e" + std::string(rest.substr(fortran ? 1 : 0));
  return fortran && number_length(text) == text.size() ? text : "";
}

bool names_an_angle(std::string_view unit) {
  for (const std::string_view angle : {"rad", "deg", "\u00B0"})
    if (unit.find(angle) != std::string_view::npos) return true;
  return false;
}

}  // namespace

ParsedNumber parse_quantity(std::string_view text, std::string_view expected, Temperature meaning) {
  if (!looks_like_quantity(text)) return parse_number(text);
  const std::size_t n = number_length(text);
  const std::string_view unit_text = trimmed(text.substr(n));
  const ParsedNumber plain = parse_number(text.substr(0, n));
  if (!plain.ok()) return plain;
  if (const std::string whole = without_blank(text.substr(0, n), unit_text); !whole.empty())
    return {0, "a blank within a number: write " + whole, true};
  if (const std::string number = with_exponent(text.substr(0, n), unit_text); !number.empty())
    return {0, "the exponent of a number stands behind an e: write " + number, true};
  const Dimension wanted = parse_unit(expected.empty() ? "1" : expected).unit.dimension;
  const ParsedUnit given = parse_unit(unit_text, wanted);
  if (!given.ok()) return {0, given.fault, true};
  const Unit& unit = given.unit;
  if (unit.dimension != wanted)
    return {0,
            "expected " + describe_dimension(expected) + ", got " + std::string(unit_text) +
                (unit_text == "C" && expected == "K" ? " (coulomb), did you mean degC?" : ""),
            true};
  if (expected == "Hz" && names_an_angle(unit_text))
    return {0, "an angular frequency, but this one is in Hz: divide it by 2 pi", true};
  ParsedNumber number = parse_number(text.substr(0, n), unit.exponent);
  if (!number.ok()) return number;
  number.value *= unit.factor;
  if (unit.offset != 0) {
    if (meaning == Temperature::difference)
      return {0, "a difference of temperatures is given in K, not in " + std::string(unit_text),
              true};
    number.value += unit.offset;
    if (number.value < 0) return {0, "lies below absolute zero", true};
  }
  if (!std::isfinite(number.value)) return {0, "is too large for a double", true};
  return number;
}

}  // namespace trestle
