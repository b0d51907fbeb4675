#include "io/case/options.hpp"

#include <algorithm>

#include "core/number.hpp"
#include "core/units.hpp"
#include "io/case/expression_parser.hpp"
#include "io/case/expression_units.hpp"

namespace trestle::io {
namespace {

using Kind = OptionKind;

/// Says what is wrong at `node`, unless the reader is to be silent.
class Teller {
 public:
  Teller(const YamlNode& node, const std::string& path, Faults* faults)
      : node_(node), path_(path), faults_(faults) {}
  void operator()(const std::string& what) const {
    if (faults_ != nullptr) faults_->add(node_.where(), path_ + ": " + what);
  }

 private:
  const YamlNode& node_;
  const std::string& path_;
  Faults* faults_;
};

std::string out_of_range(const OptionInfo& info, double value) {
  return format_number(value) + " is out of range: " + describe_bounds(info) +
         (info.unit.empty() ? "" : " [" + info.unit + "]");
}

OptionValue read_boolean(const YamlNode& node, const Teller& tell) {
  if (node.is_scalar() && !node.quoted && (node.text == "true" || node.text == "false"))
    return node.text == "true";
  tell("expected true or false, got " + describe(node));
  return {};
}

OptionValue read_integer(const YamlNode& node, const OptionInfo& info, const Teller& tell) {
  if (!node.is_scalar() || node.quoted) {
    tell("expected a whole number, got " + describe(node) +
         (node.is_scalar() ? ": leave out the quotes" : ""));
    return {};
  }
  const ParsedInteger number = parse_integer(node.text);
  if (!number.ok())
    tell(in_quotes(node.text) + " " + number.fault);
  else if (!within_bounds(info, static_cast<double>(number.value)))
    tell(out_of_range(info, static_cast<double>(number.value)));
  else
    return number.value;
  return {};
}

OptionValue read_number(const YamlNode& node, const OptionInfo& info, const Teller& tell) {
  const bool quantity = node.is_scalar() && looks_like_quantity(node.text);
  if (!node.is_scalar() || (node.quoted && !quantity)) {
    tell("expected " +
         (info.unit.empty() ? std::string("a number") : describe_dimension(info.unit)) + ", got " +
         describe(node) + (node.is_scalar() ? ": leave out the quotes" : ""));
    return {};
  }
  const ParsedNumber number = parse_quantity(node.text, info.unit);
  const std::string missing = quantity ? "" : missing_number(node.text, info.unit);
  if (!number.ok())
    tell(in_quotes(node.text) + (quantity || !missing.empty() ? ": " : " ") +
         (missing.empty() ? number.fault : missing));
  else if (!within_bounds(info, number.value))
    tell(out_of_range(info, number.value));
  else
    return number.value;
  return {};
}

OptionValue read_text(const YamlNode& node, const OptionInfo& info, const Teller& tell) {
  if (!node.is_scalar() || node.text.empty()) {
    tell("expected a text, got " + (node.is_scalar() ? "an empty one" : describe(node)));
    return {};
  }
  if (info.kind == Kind::path && node.text.starts_with('~')) {
    tell("~ is not expanded in " + in_quotes(node.text) +
         ": write the path out, or relative to the folder of the case file");
    return {};
  }
  return node.text;
}

OptionValue read_word(const YamlNode& node, const OptionInfo& info, const Teller& tell) {
  if (node.is_scalar() &&
      std::find(info.words.begin(), info.words.end(), node.text) != info.words.end())
    return node.text;
  if (node.is_scalar())
    tell("unknown word " + in_quotes(node.text) + suggestion(node.text, info.words));
  else
    tell("expected a word, got " + describe(node) + suggestion("", info.words));
  return {};
}

/// The list that `text` most likely stands for, such as [8, 8] for 8 where there are two or more
/// entries, cut at each `separator` if there is one; "" where an entry cannot be read.
std::string list_of(const YamlNode& node, const OptionInfo& entry, const char* separator) {
  std::string list;
  int n = 0;
  for (std::size_t at = 0; at <= node.text.size(); ++n) {
    const std::size_t end =
        std::min(*separator ? node.text.find(separator, at) : std::string::npos, node.text.size());
    YamlNode piece = node;
    piece.text = node.text.substr(at, end - at);
    piece.text.erase(0, piece.text.find_first_not_of(' '));
    if (std::holds_alternative<std::monostate>(read_option(piece, entry, "", nullptr))) return "";
    list += (list.empty() ? "" : ", ") + piece.text;
    at = end + 1;
  }
  const std::string first = list;
  if (n > 1 && (n < entry.min_count || n > entry.max_count)) return "";
  for (; n < entry.min_count; ++n) list += ", " + first;
  return "[" + list + "]";
}

/// What to write instead of a scalar where a list belongs.
std::string list_hint(const YamlNode& node, const OptionInfo& info, OptionKind entry) {
  OptionInfo one = info;
  one.kind = entry;
  for (const char* separator : {"", ",", " "})
    if (const std::string list = list_of(node, one, separator); !list.empty())
      return ": write " + list;
  return suggestion(node.text, info.words);
}

/// A list whose entries are read as `entry`; a lone text stands for a list of one where `lone` is
/// set.
template <class T>
OptionValue read_list(const YamlNode& node, const OptionInfo& info, OptionKind entry, bool lone,
                      const std::string& path, Faults* faults) {
  const Teller tell(node, path, faults);
  OptionInfo one = info;
  one.kind = entry;
  if (lone && node.is_scalar()) {
    const OptionValue value = read_option(node, one, path, faults);
    if (const T* single = std::get_if<T>(&value)) return std::vector<T>{*single};
    return {};
  }
  if (!node.is_list()) {
    tell((lone ? "expected a text or a list of them, got " : "expected a list, got ") +
         describe(node) + (node.is_scalar() ? list_hint(node, info, entry) : ""));
    return {};
  }
  const int n = static_cast<int>(node.items.size());
  if (n < info.min_count || n > info.max_count) {
    const std::string range =
        info.min_count == info.max_count
            ? std::to_string(info.min_count)
            : std::to_string(info.min_count) +
                  (info.max_count < 1000
                       ? (info.max_count == info.min_count + 1 ? " or " : " to ") +
                             std::to_string(info.max_count)
                       : " or more");
    tell("expected a list of " + range + " values, got " + std::to_string(n) + comma_hint(node));
    return {};
  }
  std::vector<T> values;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const OptionValue value =
        read_option(node.items[i], one, path + "." + std::to_string(i), faults);
    if (const T* single = std::get_if<T>(&value)) values.push_back(*single);
  }
  if (values.size() != node.items.size()) return {};
  return values;
}

/// What a list of pairs holds.
struct PairKinds {
  OptionInfo place, value;
  std::size_t least;    // number of pairs
  const char* example;  // of such a list
  bool ascending;       // the places, which is checked here
};

/// Pairs of numbers, one after another, in SI; empty when something is wrong.
std::vector<double> read_pairs(const YamlNode& node, const PairKinds& kinds,
                               const std::string& path, Faults* faults) {
  if (!node.is_list() || node.items.size() < kinds.least) {
    Teller(node, path, faults)((kinds.least > 1 ? "expected a list of two or more pairs, such as "
                                                : "expected a list of pairs, such as ") +
                               std::string(kinds.example) + ", got " + describe(node));
    return {};
  }
  std::vector<double> numbers;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& pair = node.items[i];
    const std::string here = path + "." + std::to_string(i);
    if (!pair.is_list() || pair.items.size() != 2) {
      Teller(pair, here, faults)("expected a pair of numbers, got " + describe(pair));
      continue;
    }
    for (const std::size_t k : {0, 1}) {
      const std::string of_number = here + "." + std::to_string(k);
      const Teller tell(pair.items[k], of_number, faults);
      const OptionValue number =
          read_number(pair.items[k], k == 0 ? kinds.place : kinds.value, tell);
      const double* good = std::get_if<double>(&number);
      if (good == nullptr) continue;
      if (kinds.ascending && k == 0 && numbers.size() >= 2 &&
          !(*good > numbers[numbers.size() - 2]))
        tell("the places of a table ascend: " + format_number(*good) + " is not above " +
             format_number(numbers[numbers.size() - 2]));
      else
        numbers.push_back(*good);
    }
  }
  return numbers.size() == 2 * node.items.size() ? numbers : std::vector<double>{};
}

/// A value in the unit over a pure number.
OptionValue read_curve(const YamlNode& node, const OptionInfo& info, const std::string& path,
                       Faults* faults) {
  OptionInfo pure = info;
  pure.unit.clear();
  const std::vector<double> numbers =
      read_pairs(node, {pure, info, 1, "[[0, 250 MPa], [0.1, 300 MPa]]", false}, path, faults);
  return numbers.empty() ? OptionValue{} : OptionValue{numbers};
}

/// Texts and words that name things stand once in a list.
OptionValue without_repeats(const YamlNode& node, OptionValue value, const Teller& tell) {
  const auto* texts = std::get_if<std::vector<std::string>>(&value);
  if (texts == nullptr || !node.is_list()) return value;
  for (std::size_t i = 0; i < texts->size(); ++i)
    if (std::find(texts->begin(), texts->begin() + static_cast<std::ptrdiff_t>(i), (*texts)[i]) !=
        texts->begin() + static_cast<std::ptrdiff_t>(i)) {
      tell(in_quotes((*texts)[i]) + " stands twice in the list");
      return {};
    }
  return value;
}

OptionValue read_factors(const YamlNode& node, const OptionInfo& info, const std::string& path,
                         Faults* faults) {
  const Teller tell(node, path, faults);
  if (!node.is_mapping() || node.entries.empty()) {
    tell("expected a mapping from names to numbers, got " + describe(node));
    return {};
  }
  for (const YamlEntry& entry : node.entries)
    read_number(entry.value, info, Teller(entry.value, path + "." + entry.key, faults));
  return {};
}

/// Whether an expression ends within parentheses, as it does where YAML cut it at a comma.
bool is_cut(const YamlNode& node) {
  const std::string& text = node.text;
  return !node.quoted &&
         std::count(text.begin(), text.end(), '(') > std::count(text.begin(), text.end(), ')');
}

/// How a direction is fixed and left free, for values that allow it; else "".
std::string free_hint(const OptionInfo& info) {
  return info.nullable ? "; 0 holds a direction and ~ leaves it free, as in [0, ~, ~]" : "";
}

void tell_of_expression(const YamlNode& node, const OptionInfo& info, const SourcePosition& where,
                        const CaseError& error, Faults* faults) {
  if (faults == nullptr) return;
  const bool word = node.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
  const std::string hint =
      is_cut(node) ? "; within [ ] and { } a comma ends the value: put the expression in quotes"
      : word       ? free_hint(info)
                   : "";
  faults->add(CaseError({error.messages()[0] + hint}), where);
}

/// A variable that a table may be of.
struct TableVariable {
  const char* name;
  const char* unit;
  bool allowed;
};
std::vector<TableVariable> table_variables(const OptionInfo& info) {
  return {{"T", "K", info.of_temperature},
          {"t", "s", info.of_time},
          {"x", "m", true},
          {"y", "m", true},
          {"z", "m", true}};
}

/// {table: pairs, of: T, beyond: constant}, as the expression that it stands for.
bool read_table(const YamlNode& node, const OptionInfo& info, const std::string& path,
                std::optional<fem::Expression>& component, Faults* faults) {
  const Teller tell(node, path, faults);
  if (node.find("table") == nullptr && node.find("of") == nullptr) {
    tell("expected " + describe_dimension(info.unit) + ", an expression or a table, got " +
         describe(node) +
         (info.max_count > 1 ? ": components stand in a list, as [0, 0, 1]"
                             : ": a table is {table: [[293, 45], [600, 38]], of: T}"));
    return false;
  }
  for (const YamlEntry& entry : node.entries)
    if (entry.key != "table" && entry.key != "of" && entry.key != "beyond") {
      tell("unknown key " + in_quotes(entry.key) +
           suggestion(entry.key, {"table", "of", "beyond"}));
      return false;
    }
  const YamlNode *pairs = node.find("table"), *of = node.find("of"), *beyond = node.find("beyond");
  if (pairs == nullptr || of == nullptr) {
    tell("a table has its pairs and what they are of: {table: [[293, 45], [600, 38]], of: T}");
    return false;
  }
  std::vector<std::string> names;
  std::string unit;
  bool known = false;
  for (const TableVariable& variable : table_variables(info)) {
    if (!variable.allowed) continue;
    names.emplace_back(variable.name);
    if (of->is_scalar() && of->text == variable.name) {
      unit = variable.unit;
      known = true;
    }
  }
  if (!known) {
    Teller(*of, path + ".of", faults)(
        (of->is_scalar() ? in_quotes(of->text) + " is nothing that this value can depend on"
                         : "expected a word") +
        suggestion("", names));
    return false;
  }
  if (beyond != nullptr && beyond->text != "constant" && beyond->text != "error") {
    Teller(*beyond, path + ".beyond", faults)("unknown word " + in_quotes(beyond->text) +
                                              suggestion(beyond->text, {"constant", "error"}));
    return false;
  }
  const OptionInfo place{.name = info.name, .kind = Kind::number, .unit = unit};
  const std::vector<double> numbers =
      read_pairs(*pairs, {place, info, 2, "[[293, 45], [600, 38]]", true}, path + ".table", faults);
  if (numbers.empty()) return false;
  const bool strict = beyond != nullptr && beyond->text == "error";
  std::string text = (strict ? "strict_table(" : "table(") + of->text;
  for (const double number : numbers) text += ", " + format_number(number);
  component = parse_expression(text + ")", node.where());
  return true;
}

/// A component of a field. Returns false when it is wrong; a null leaves `component` empty.
bool read_component(const YamlNode& node, const OptionInfo& info, const std::string& path,
                    std::optional<fem::Expression>& component, Faults* faults) {
  const Teller tell(node, path, faults);
  if (node.is_mapping()) return read_table(node, info, path, component, faults);
  if (!node.is_scalar()) {
    tell("expected " + describe_dimension(info.unit) + ", an expression or a table, got " +
         describe(node) + (node.is_null() ? free_hint(info) : ""));
    return false;
  }
  const bool quantity = looks_like_quantity(node.text);
  const ParsedNumber number = parse_quantity(node.text, info.unit);
  if (number.ok()) {
    component =
        fem::Expression({{fem::Expression::Op::number, number.value}}, node.text, node.where());
  } else if (quantity || number.refused) {
    const std::string calculated = quantity ? quantity_in_expression(node.text, info.unit) : "";
    const std::string product = quantity ? missing_product(node.text) : "";
    tell(in_quotes(node.text) + (quantity ? ": " : " ") +
         (!calculated.empty() ? calculated
          : !product.empty()  ? product
                              : number.fault));
    return false;
  } else {
    SourcePosition where = node.where();
    if (node.quoted && where.column > 0) ++where.column;
    try {
      component = parse_expression(node.text, where, path);
    } catch (const CaseError& error) {
      const std::string missing = missing_number(node.text, info.unit);
      if (missing.empty())
        tell_of_expression(node, info, where, error, faults);
      else
        tell(in_quotes(node.text) + ": " + missing);
      return false;
    }
  }
  if (component->uses_time() && !info.of_time) {
    tell("t is the time, which this value cannot depend on: use x, y and z");
    return false;
  }
  if (component->uses_temperature() && !info.of_temperature) {
    tell("T is the temperature, which this value cannot depend on");
    return false;
  }
  if (component->is_number() && !within_bounds(info, component->number())) {
    tell(out_of_range(info, component->number()));
    return false;
  }
  return true;
}

}  // namespace

std::string split_at_comma(const YamlNode& first, const std::string& second,
                           const SourcePosition& where) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::string& whole = first.text;
  const bool number = first.is_scalar() && !first.quoted && !second.empty() &&
                      is_digit(second.front()) && is_digit(whole.back()) &&
                      number_length(whole) == whole.size() &&
                      whole.find_first_of(".eE") == std::string::npos;
  const bool adjacent = where.line > 0 && where.line == first.line &&
                        where.column == first.column + static_cast<int>(whole.size()) + 1;
  return number && adjacent ? whole + "." + second : "";
}

std::string comma_hint(const YamlNode& list) {
  // Where no blank stands behind any comma, as in [4,4,4], none of them is a decimal one.
  std::string cut;
  std::size_t n_cut = 0;
  for (std::size_t i = 1; i < list.items.size(); ++i) {
    const YamlNode& second = list.items[i];
    if (!second.is_scalar()) continue;
    const std::string number = split_at_comma(list.items[i - 1], second.text, second.where());
    if (number.empty()) continue;
    if (cut.empty()) cut = number;
    ++n_cut;
  }
  if (n_cut > 0 && (n_cut < 2 || n_cut + 1 < list.items.size()))
    return "; the decimal separator is a point: write " + cut;
  for (const YamlNode& item : list.items) {
    const std::size_t blank = item.is_scalar() ? item.text.find(' ') : std::string::npos;
    if (blank != std::string::npos && number_length(item.text) == blank &&
        number_length(std::string_view(item.text).substr(blank + 1)) > 0)
      return "; commas stand between the values: " + in_quotes(item.text);
  }
  return "";
}

OptionValue read_option(const YamlNode& node, const OptionInfo& info, const std::string& path,
                        Faults* faults) {
  const Teller tell(node, path, faults);
  switch (info.kind) {
    case Kind::boolean:
      return read_boolean(node, tell);
    case Kind::integer:
      return read_integer(node, info, tell);
    case Kind::number:
      return read_number(node, info, tell);
    case Kind::text:
    case Kind::path:
      return read_text(node, info, tell);
    case Kind::word:
      return read_word(node, info, tell);
    case Kind::integers:
      return read_list<std::int64_t>(node, info, Kind::integer, false, path, faults);
    case Kind::numbers:
      return read_list<double>(node, info, Kind::number, false, path, faults);
    case Kind::texts:
      return read_list<std::string>(node, info, Kind::text, true, path, faults);
    case Kind::words:
      return without_repeats(
          node, read_list<std::string>(node, info, Kind::word, false, path, faults), tell);
    case Kind::curve:
      return read_curve(node, info, path, faults);
    case Kind::factors:
      return read_factors(node, info, path, faults);
    case Kind::quantity:
    case Kind::tolerance:
      if (!node.is_scalar()) tell("expected a number, got " + describe(node));
      return {};
    default:
      return {};
  }
}

std::optional<physics::Value> read_field(const YamlNode& node, const OptionInfo& info,
                                         const std::string& path, Faults* faults) {
  const Teller tell(node, path, faults);
  physics::Value value{{}, node.where()};
  if (!node.is_list()) {
    value.components.resize(1);
    if (!read_component(node, info, path, value.components[0], faults)) return std::nullopt;
    const auto& scalar = *value.components[0];
    if (info.zero_scalar && !(scalar.is_number() && scalar.number() == 0)) {
      tell("expected a list with a value for each direction, such as [0, 0, " + node.text +
           "]; the only single value is 0, for all of them");
      return std::nullopt;
    }
    return value;
  }
  const std::size_t n = node.items.size();
  if (std::any_of(node.items.begin(), node.items.end(), is_cut)) {
    tell("a comma within [ ] ends the value: put the expression in quotes");
    return std::nullopt;
  }
  if (info.max_count == 1 || n < 2 || n > static_cast<std::size_t>(info.max_count)) {
    tell(info.max_count == 1 ? "expected one value, got a list" + comma_hint(node)
                             : "expected 2 or 3 values, one for each direction, got " +
                                   std::to_string(n) + comma_hint(node));
    return std::nullopt;
  }
  value.components.resize(n);
  bool good = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (info.nullable && node.items[i].is_null()) continue;
    good &= read_component(node.items[i], info, path + "." + std::to_string(i), value.components[i],
                           faults);
  }
  const bool all_free = std::none_of(value.components.begin(), value.components.end(),
                                     [](const auto& component) { return component.has_value(); });
  if (good && all_free) tell("every component is free: this entry fixes nothing");
  if (!good || all_free) return std::nullopt;
  return value;
}

}  // namespace trestle::io
