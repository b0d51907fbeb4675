#include "io/inp/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/error.hpp"
#include "io/mesh/bytes.hpp"

namespace trestle::io {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

std::string hint_of(const InpLines& lines, std::string_view field) {
  if (field.empty()) return "nothing between two commas";
  const bool gap = field.find_first_of(blanks) != std::string_view::npos;
  return lines.shown(field) + (gap ? " (is a comma missing?)" : "");
}

/// Whether the first line that is no comment is a keyword.
bool begins_with_keyword(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view line = trimmed(bytes.substr(at, end - at));
    if (!line.empty() && !line.starts_with("**")) return line.starts_with('*');
    at = end + 1;
  }
  return false;
}

}  // namespace

int InpFiles::add(const std::string& path) {
  for (std::size_t f = 0; f < files_.size(); ++f)
    if (files_[f].path == path) return static_cast<int>(f);
  files_.push_back({path, read_mesh_bytes(path)});
  return static_cast<int>(files_.size()) - 1;
}

std::string InpFiles::text_of(InpPlace place) const {
  return fmt::format("{}:{}", path(place.file), place.line);
}

std::string InpFiles::shown(InpPlace place, std::string_view field) const {
  const bool is_ours =
      place.file == 0 || is_number(field) || begins_with_keyword(bytes(place.file));
  return is_ours ? quoted(field) : "other text";
}

void InpFiles::fail(InpPlace place, const std::string& message) const {
  throw MeshError(text_of(place) + ": " + message);
}

bool InpLines::next() {
  for (; chunk_ < chunks_.size(); ++chunk_, at_ = 0) {
    const InpChunk& chunk = chunks_[chunk_];
    if (at_ == 0) next_line_ = chunk.line;
    const std::string_view bytes =
        files_.bytes(chunk.file).substr(chunk.begin, chunk.end - chunk.begin);
    while (at_ < bytes.size()) {
      const std::size_t end = std::min(bytes.find('\n', at_), bytes.size());
      text_ = trimmed(bytes.substr(at_, end - at_));
      place_ = {chunk.file, next_line_++};
      at_ = end + 1;
      if (!text_.empty() && !text_.starts_with("**")) return true;
    }
  }
  return false;
}

bool InpFields::next(std::string_view& field) {
  if (!more_) return false;
  const std::size_t comma = std::min(rest_.find(','), rest_.size());
  field = trimmed(rest_.substr(0, comma));
  rest_.remove_prefix(std::min(comma + 1, rest_.size()));
  more_ = !trimmed(rest_).empty();
  return true;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), upper);
  return result;
}

std::string_view unquoted(std::string_view text) {
  const bool has = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return has ? text.substr(1, text.size() - 2) : text;
}

bool is_number(std::string_view field) {
  return !field.empty() &&
         std::string_view("0123456789+-.").find(field[0]) != std::string_view::npos;
}

std::int64_t id_of(const InpLines& lines, std::string_view field, const char* what) {
  constexpr std::int64_t most = 1'000'000'000'000'000;  // facets get ids behind it
  const std::string_view digits = field.starts_with('+') ? field.substr(1) : field;
  std::int64_t id = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (error != std::errc{} || rest != digits.data() + digits.size() || id <= 0 || id > most)
    lines.fail(fmt::format("expected {} (an integer from 1 to 10^15), found {}", what,
                           hint_of(lines, field)));
  return id;
}

std::optional<double> real_of(std::string_view field) {
  std::array<char, 64> text{};
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  if (field.empty() || field.size() > text.size()) return {};
  std::replace_copy_if(
      field.begin(), field.end(), text.begin(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  double value = 0;
  const char* const end = text.data() + field.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest != end) return {};
  // Below the smallest double a number is 0.
  if (error == std::errc::result_out_of_range &&
      (field.find("e-") != field.npos || field.find("E-") != field.npos ||
       field.find("d-") != field.npos || field.find("D-") != field.npos))
    return 0;
  if (error != std::errc{} || !std::isfinite(value)) return {};
  return value;
}

}  // namespace trestle::io
