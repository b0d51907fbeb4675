// Tables of options: name, type, default, bounds, unit and help of what a case may say, each stated
// once; the reader, the resolved copy, the JSON schema and the reference page are made from them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/types.hpp"

namespace trestle {

/// What stands at a key.
enum class OptionKind {
  boolean,    // true or false
  integer,    // a whole number
  number,     // a number, with a unit or plain in SI
  text,       // any text
  path,       // a file or folder
  word,       // one of `words`
  integers,   // a list of whole numbers
  numbers,    // a list of numbers
  texts,      // a text or a list of texts
  words,      // a list of `words`
  field,      // a number, an expression in x, y, z, or a list of them (a component each)
  curve,      // a list of pairs, each a pure number and one in `unit`
  quantity,   // a number whose unit follows from other keys
  tolerance,  // as quantity, or a percentage
  factors,    // a mapping from names to numbers
  mapping,    // keys are `entries`
  list,       // a list of mappings
  named,      // a mapping from free names to mappings
  anything,   // not looked at
};

struct OptionInfo {
  std::string name;
  OptionKind kind = OptionKind::text;
  std::string help;
  bool required = false;
  std::string unit;  // SI; "" for a pure number
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lower_open = false;  // the bound itself is refused
  bool upper_open = false;
  std::vector<std::string> words;
  int min_count = 0;         // entries of a list
  int max_count = 1000000;   // entries of a list; 1: a field is a scalar
  bool nullable = false;     // entries of a field may be null
  bool zero_scalar = false;  // the only scalar of a field with components is 0
  bool or_true = false;      // a mapping may be the word true
  bool one_of = false;       // a mapping has exactly one of its optional keys
  bool of_time = false;         // a field may use t
  bool of_temperature = false;  // a field may use T
  std::vector<OptionInfo> entries;
  std::string default_text = {};  // as in a case file; "" when there is none
};

/// The value of a leaf; monostate stands for "not given".
using OptionValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>>;

/// "0 < value <= 1", or "" without bounds.
std::string describe_bounds(const OptionInfo& info);
bool within_bounds(const OptionInfo& info, double value);
/// The value as it would stand in a case file; "" when it is not given.
std::string format_option(const OptionValue& value);
/// `text` as a YAML scalar that reads back as the same text.
std::string yaml_text(std::string_view text);

/// One key of an options struct, with the way in and out.
template <class Options>
struct Option {
  OptionInfo info;
  std::function<void(Options&, const OptionValue&)> set;
  std::function<OptionValue(const Options&)> get;
};

/// The keys of an options struct. Defaults come from a default-constructed `Options`.
template <class Options>
class OptionTable {
 public:
  OptionTable(std::initializer_list<Option<Options>> options) : options_(options) {
    for (Option<Options>& option : options_)
      if (!option.info.required) option.info.default_text = format_option(option.get(Options{}));
  }
  const std::vector<Option<Options>>& options() const { return options_; }
  std::vector<OptionInfo> infos() const {
    std::vector<OptionInfo> all;
    for (const Option<Options>& option : options_) all.push_back(option.info);
    return all;
  }

 private:
  std::vector<Option<Options>> options_;
};

/// An option bound to a member that is itself an OptionValue alternative (double, std::string ...);
/// an empty text or list counts as not given.
template <class Options, class Member>
Option<Options> option(OptionInfo info, Member Options::*member) {
  return {std::move(info),
          [member](Options& o, const OptionValue& v) { o.*member = std::get<Member>(v); },
          [member](const Options& o) -> OptionValue {
            if constexpr (requires { (o.*member).empty(); })
              if ((o.*member).empty()) return std::monostate{};
            return o.*member;
          }};
}

/// An option bound to an `int`; `absent` is the value that stands for "not given".
template <class Options>
Option<Options> int_option(OptionInfo info, int Options::*member,
                           int absent = std::numeric_limits<int>::min()) {
  info.kind = OptionKind::integer;
  info.upper = std::min(info.upper, double{std::numeric_limits<int>::max()});
  return {std::move(info),
          [member](Options& o, const OptionValue& v) {
            o.*member = narrow<int>(std::get<std::int64_t>(v));
          },
          [member, absent](const Options& o) -> OptionValue {
            if (o.*member == absent) return std::monostate{};
            return std::int64_t{o.*member};
          }};
}

/// An option bound to an enumeration, a word for each value.
template <class Options, class Enum>
Option<Options> word_option(OptionInfo info, Enum Options::*member,
                            std::vector<std::pair<std::string, Enum>> words) {
  info.kind = OptionKind::word;
  for (const auto& [word, value] : words) info.words.push_back(word);
  return {std::move(info),
          [member, words](Options& o, const OptionValue& v) {
            for (const auto& [word, value] : words)
              if (word == std::get<std::string>(v)) o.*member = value;
          },
          [member, words](const Options& o) -> OptionValue {
            for (const auto& [word, value] : words)
              if (value == o.*member) return word;
            return std::monostate{};
          }};
}

/// An option bound to three numbers, of which a case may give the first two.
template <class Options>
Option<Options> triple_option(OptionInfo info, std::array<double, 3> Options::*member) {
  info.kind = OptionKind::numbers;
  info.min_count = 2;
  info.max_count = 3;
  return {std::move(info),
          [member](Options& o, const OptionValue& v) {
            const auto& given = std::get<std::vector<double>>(v);
            for (std::size_t i = 0; i < given.size(); ++i) (o.*member)[i] = given[i];
          },
          [member](const Options& o) -> OptionValue {
            return std::vector<double>((o.*member).begin(), (o.*member).end());
          }};
}

}  // namespace trestle
