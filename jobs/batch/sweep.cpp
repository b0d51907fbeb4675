#include "jobs/batch/sweep.hpp"

#include <fmt/format.h>

#include <set>

#include "core/error.hpp"
#include "core/number.hpp"

namespace trestle::jobs {
namespace {

struct Axis {
  std::string key;
  std::vector<std::string> values;
};

[[noreturn]] void refuse(const std::string& axis, const std::string& why) {
  throw Error(ExitCode::usage, "--sweep " + in_quotes(axis) + ": " + why);
}

/// Cuts at commas outside of brackets and quotes.
std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = 0;
  for (char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{' || c == '(') {
      ++depth;
    } else if (c == ']' || c == '}' || c == ')') {
      --depth;
    }
    if (c == ',' && depth == 0 && quote == 0)
      values.emplace_back();
    else
      values.back() += c;
  }
  return values;
}

Axis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse(text, "write KEY.KEY=VALUE,VALUE...");
  Axis axis{text.substr(0, equals), split_values(text.substr(equals + 1))};
  std::set<std::string> seen;
  for (std::string& value : axis.values) {
    while (value.starts_with(' ')) value.erase(0, 1);
    while (value.ends_with(' ')) value.pop_back();
    if (value.empty()) refuse(text, "a value is empty");
    if (!seen.insert(value).second) refuse(text, "the value " + in_quotes(value) + " stands twice");
  }
  return axis;
}

std::string last_key(const std::string& path) { return path.substr(path.find_last_of('.') + 1); }

}  // namespace

std::string folder_name(const std::string& text, std::size_t limit) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.=,";
  std::string name;
  for (char c : text) name += plain.find(c) == std::string_view::npos ? '_' : c;
  if (name.size() > limit) name.resize(limit);
  return name;
}

std::vector<SweepPoint> make_sweep(const std::vector<std::string>& texts) {
  std::vector<Axis> axes;
  std::set<std::string> keys;
  std::size_t n = 1;
  for (const std::string& text : texts) {
    axes.push_back(parse_axis(text));
    if (!keys.insert(axes.back().key).second) refuse(text, "this key has an axis already");
    n *= axes.back().values.size();
    if (n > most_points)
      refuse(text, "the sweep has more than " + std::to_string(most_points) + " points");
  }
  std::vector<SweepPoint> points;
  const std::size_t digits = std::to_string(n).size();
  for (std::size_t i = 0; i < n; ++i) {
    SweepPoint point;
    std::size_t below = n;
    std::string values;
    for (const Axis& axis : axes) {
      below /= axis.values.size();
      const std::string& value = axis.values[i / below % axis.values.size()];
      point.overrides.push_back(axis.key + "=" + value);
      values += (values.empty() ? "" : ",") + last_key(axis.key) + "=" + value;
    }
    point.name = fmt::format("{:0{}}-{}", i + 1, digits, folder_name(values));
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace trestle::jobs
