#include "io/report/text.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace trestle::io {

namespace {
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

/// Bytes of the first `columns` characters.
std::size_t bytes_of(std::string_view text, std::size_t columns) {
  std::size_t n = 0, end = 0;
  while (end < text.size() && (!begins_character(text[end]) || n++ < columns)) ++end;
  return end;
}

/// Where a line of at most `most` bytes ends that goes on in the next.
std::size_t line_end(std::string_view text, std::size_t most) {
  std::size_t blank = 0, pause = 0;
  for (std::size_t i = 1; i <= most; ++i) {
    if (text[i] != ' ') continue;
    blank = i;
    if (std::string_view(",;:").find(text[i - 1]) != std::string_view::npos) pause = i;
  }
  if (4 * pause >= 3 * most) return pause;
  return blank > 0 ? blank : most;
}
}  // namespace

std::string text_of_count(std::int64_t n) {
  std::string text = std::to_string(n);
  const std::ptrdiff_t first = n < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > first; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string text_of_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 100) return fmt::format("{:.3g} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string text_of_bytes(std::size_t bytes) {
  constexpr std::array<const char*, 6> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  if (unit == 0) return fmt::format("{} B", bytes);
  return fmt::format("{:.{}f} {}", value, value < 100 ? 1 : 0, units[unit]);
}

std::string text_of_value(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-";
}

std::string text_of_values(const std::vector<double>& values) {
  if (values.size() == 1) return text_of_value(values[0]);
  std::string text;
  for (double value : values) text += (text.empty() ? "(" : ", ") + text_of_value(value);
  return text.empty() ? "-" : text + ")";
}

std::string text_of_values(const std::vector<double>& values,
                           const std::vector<std::string>& components, const std::string& unit) {
  std::string text;
  if (values.size() == 1 || components.size() != values.size()) {
    text = text_of_values(values);
  } else {
    for (std::size_t k = 0; k < values.size(); ++k)
      text += (k == 0 ? "" : ", ") + components[k] + " " + text_of_value(values[k]);
  }
  return unit.empty() ? text : text + " " + unit;
}

std::size_t columns_of(std::string_view text) {
  std::size_t n = 0;
  for (char c : text) n += begins_character(c) ? 1 : 0;
  return n;
}

std::string text_of_frequency(const ModeResult& mode) {
  return !mode.rigid.empty() ? mode.rigid : fmt::format("{:.6g} Hz", mode.frequency_hz);
}

std::string clipped(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  return std::string(text.substr(0, bytes_of(text, columns - 1))) + "\xe2\x80\xa6";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  while (columns_of(text) > columns) {
    const std::size_t end = line_end(text, bytes_of(text, columns));
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(text[end] == ' ' ? end + 1 : end);
  }
  lines.emplace_back(text);
  return lines;
}

}  // namespace trestle::io
