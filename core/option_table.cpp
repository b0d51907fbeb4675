#include "core/option_table.hpp"

#include <cmath>

#include "core/number.hpp"

namespace trestle {
namespace {

bool is_plain_text(std::string_view text) {
  if (text.empty() || text == "true" || text == "false" || text == "null") return false;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (!is_letter(text.front())) return false;
  for (char c : text)
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '.' && c != '-') return false;
  return true;
}

std::string format_one(bool value) { return value ? "true" : "false"; }
std::string format_one(std::int64_t value) { return std::to_string(value); }
std::string format_one(double value) { return format_number(value); }
std::string format_one(const std::string& value) { return yaml_text(value); }
std::string format_one(std::monostate) { return ""; }
template <class T>
std::string format_one(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text += (text.size() > 1 ? ", " : "") + format_one(value);
  return text + "]";
}

}  // namespace

std::string yaml_text(std::string_view text) {
  if (is_plain_text(text)) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    constexpr char hex[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (byte < 0x20 || byte == 0x7F)
      ((out += "\\x") += hex[byte >> 4]) += hex[byte & 15];
    else
      out += c;
  }
  return out + '"';
}

std::string format_option(const OptionValue& value) {
  return std::visit([](const auto& v) { return format_one(v); }, value);
}

bool within_bounds(const OptionInfo& info, double value) {
  const bool above = info.lower_open ? value > info.lower : value >= info.lower;
  const bool below = info.upper_open ? value < info.upper : value <= info.upper;
  return above && below;
}

std::string describe_bounds(const OptionInfo& info) {
  const std::string low = std::isfinite(info.lower)
                              ? format_number(info.lower) + (info.lower_open ? " < " : " <= ")
                              : "";
  const std::string high = std::isfinite(info.upper)
                               ? (info.upper_open ? " < " : " <= ") + format_number(info.upper)
                               : "";
  return low.empty() && high.empty() ? "" : low + "value" + high;
}

}  // namespace trestle
