#include "core/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace trestle {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t count_digits(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && is_digit(text[at + n])) ++n;
  return n;
}

/// Where the parts of a number stand: [sign] whole [. fraction] [e exponent].
struct Parts {
  std::size_t whole_begin = 0, whole = 0;
  std::size_t mantissa_end = 0;
  std::size_t exponent_begin = 0;  // after the e; 0 when there is none
  std::size_t end = 0;             // 0 when the text does not start with a number
};

Parts split(std::string_view text) {
  Parts parts;
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  parts.whole_begin = at;
  parts.whole = count_digits(text, at);
  at += parts.whole;
  std::size_t fraction = 0;
  if (at < text.size() && text[at] == '.') {
    fraction = count_digits(text, at + 1);
    if (parts.whole + fraction > 0) at += 1 + fraction;
  }
  if (parts.whole + fraction == 0) return parts;
  parts.mantissa_end = parts.end = at;
  if (at >= text.size() || lower(text[at]) != 'e') return parts;
  ++at;
  const std::size_t sign = at < text.size() && (text[at] == '+' || text[at] == '-') ? 1 : 0;
  const std::size_t exponent = count_digits(text, at + sign);
  if (exponent == 0) return parts;
  parts.exponent_begin = at;
  parts.end = at + sign + exponent;
  return parts;
}

/// Why a number with commas is refused, with the number that one comma most likely means.
std::string comma_fault(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (text.find_first_of(",.", comma + 1) != std::string_view::npos ||
      text.substr(0, comma).find('.') != std::string_view::npos)
    return "has commas: the decimal separator is a point, and nothing separates thousands";
  return "has a comma: the decimal separator is a point, write " +
         std::string(text.substr(0, comma)) + "." + std::string(text.substr(comma + 1));
}

/// Why a text that is no number as a whole is refused, for the forms that other programs take.
ParsedNumber refusal(std::string_view text, const Parts& parts) {
  std::string word;
  for (char c : text) word += lower(c);
  if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.erase(0, 1);
  const auto refuse = [](std::string fault) { return ParsedNumber{0, std::move(fault), true}; };
  if (word == ".nan" || word == "nan" || word == ".inf" || word == "inf" || word == "infinity")
    return refuse("is not a finite number");
  if (word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'o' || word[1] == 'b') &&
      std::all_of(word.begin() + 2, word.end(),
                  [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }))
    return refuse("hexadecimal, octal and binary numbers are refused: write it in decimal");
  const std::string_view rest = text.substr(parts.end);
  const bool digits_and = parts.end > 0 && std::all_of(rest.begin(), rest.end(), [](char c) {
                            return is_digit(c) || c == '_' || c == ',' || c == '.';
                          });
  if (digits_and && rest.find('_') != std::string_view::npos)
    return refuse("digit separators are refused: leave out the _");
  const bool comma = parts.end > 0 && rest.size() > 1 && rest[0] == ',' && is_digit(rest[1]);
  if (comma || (digits_and && rest.find(',') != std::string_view::npos))
    return refuse(comma_fault(text));
  return {0, "is not a number", false};
}

/// Whether a number that does not fit a double is too large (else too small).
bool is_too_large(std::string_view mantissa, std::int64_t exponent) {
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  const auto place = static_cast<std::int64_t>(point) -
                     static_cast<std::int64_t>(std::min(first, mantissa.size()));
  return place + exponent > 0;
}

}  // namespace

std::size_t number_length(std::string_view text) { return split(text).end; }

ParsedNumber parse_number(std::string_view text, int shift) {
  const Parts parts = split(text);
  if (parts.end == 0 || parts.end != text.size()) return refusal(text, parts);
  if (parts.whole > 1 && text[parts.whole_begin] == '0')
    return {0, "leading zeros are refused: some programs read them as octal", true};
  std::int64_t exponent = 0;
  if (parts.exponent_begin > 0) {
    const std::size_t plus = text[parts.exponent_begin] == '+' ? 1 : 0;
    const char* begin = text.data() + parts.exponent_begin + plus;
    const auto read = std::from_chars(begin, text.data() + text.size(), exponent);
    if (read.ec != std::errc{}) exponent = *begin == '-' ? -1'000'000'000 : 1'000'000'000;
  }
  exponent = std::clamp<std::int64_t>(exponent, -1'000'000'000, 1'000'000'000) + shift;
  const std::size_t plus = text[0] == '+' ? 1 : 0;
  const std::string_view mantissa = text.substr(plus, parts.mantissa_end - plus);
  const std::string plain = std::string(mantissa) + "e" + std::to_string(exponent);
  ParsedNumber number;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), number.value);
  if (mantissa.find_first_of("123456789") == std::string_view::npos) {
    number.value = text[0] == '-' ? -0.0 : 0.0;
  } else if (read.ec != std::errc{} || number.value == 0 || !std::isfinite(number.value)) {
    return {0,
            is_too_large(mantissa.substr(mantissa[0] == '-' ? 1 : 0), exponent)
                ? "is too large for a double (largest 1.797e308)"
                : "is too small for a double and would become 0",
            true};
  }
  return number;
}

ParsedInteger parse_integer(std::string_view text) {
  const ParsedNumber number = parse_number(text);
  if (!number.ok())
    return {0, number.refused ? number.fault : std::string("is not a whole number")};
  if (number.value != std::floor(number.value)) return {0, "is not a whole number"};
  if (std::abs(number.value) > 9007199254740992.0) return {0, "is larger than 2^53"};
  return {static_cast<std::int64_t>(number.value), ""};
}

std::string format_number(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);  // whatever its sign bit
}

std::string counted(std::int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::size_t end = std::min(text.size(), longest);
  while (end < text.size() && end > 0 && (text[end] & 0xC0) == 0x80) --end;
  std::string out = "\"";
  for (char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + (end < text.size() ? "...\"" : "\"");
}

}  // namespace trestle
