#include "jobs/slurm/time.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/number.hpp"
#include "core/units.hpp"

namespace trestle::jobs {
namespace {

constexpr std::int64_t minute = 60, hour = 3600, day = 86400;
constexpr std::int64_t longest = 3650 * day;

constexpr const char* forms =
    "write minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, "
    "days-hours:minutes:seconds, or a number with a unit such as 90 min";

/// Digits only, of at most 9 of them; -1 otherwise.
std::int64_t whole(std::string_view text) {
  if (text.empty() || text.size() > 9) return -1;
  std::int64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return -1;
    value = 10 * value + (c - '0');
  }
  return value;
}

std::vector<std::int64_t> split_at_colons(std::string_view text) {
  std::vector<std::int64_t> parts;
  for (;;) {
    const std::size_t end = text.find(':');
    parts.push_back(whole(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

SlurmAmount fault(std::string_view text, const std::string& what) {
  return {0, in_quotes(std::string(text)) + " is no time of Slurm" + what};
}

/// Parts behind the first are below 60; `first_limit` bounds the first one.
bool in_range(const std::vector<std::int64_t>& parts, std::int64_t first_limit) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i] < 0 || (i > 0 && parts[i] >= 60) || (i == 0 && parts[i] >= first_limit))
      return false;
  return true;
}

SlurmAmount parse_clock(std::string_view text) {
  const std::size_t dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  const std::int64_t days = has_days ? whole(text.substr(0, dash)) : 0;
  const std::vector<std::int64_t> parts = split_at_colons(has_days ? text.substr(dash + 1) : text);
  if (days < 0 || parts.size() > 3) return fault(text, std::string(": ") + forms);
  for (std::int64_t part : parts)
    if (part < 0) return fault(text, std::string(": ") + forms);
  if (!in_range(parts, has_days ? 24 : longest))
    return fault(text,
                 ": minutes and seconds behind a colon are below 60, hours behind days below 24");
  // Where the first part counts: hours behind days, else by how many parts there are.
  const std::array<std::int64_t, 3> weights_of_days{hour, minute, 1};
  const std::array<std::int64_t, 3> weights =
      has_days            ? weights_of_days
      : parts.size() == 3 ? weights_of_days
                          : std::array{minute, std::int64_t{1}, std::int64_t{0}};
  std::int64_t seconds = days * day;
  for (std::size_t i = 0; i < parts.size(); ++i) seconds += parts[i] * weights[i];
  return {seconds, ""};
}

}  // namespace

SlurmAmount parse_slurm_time(std::string_view text) {
  if (text == "UNLIMITED" || text == "unlimited" || text == "INFINITE") return {0, ""};
  SlurmAmount time;
  if (looks_like_quantity(text)) {
    const ParsedNumber number = parse_quantity(text, "s");
    if (!number.ok()) return fault(text, ": " + number.fault);
    if (!(number.value <= static_cast<double>(longest)))
      return fault(text, ": more than ten years; write UNLIMITED for no limit");
    time.value = std::llround(number.value);
  } else {
    time = parse_clock(text);
  }
  if (!time.ok()) return time;
  if (time.value <= 0) return fault(text, ": it is nothing; write UNLIMITED for no limit");
  if (time.value > longest)
    return fault(text, ": more than ten years; write UNLIMITED for no limit");
  return time;
}

std::string format_slurm_time(std::int64_t seconds) {
  if (seconds == 0) return "UNLIMITED";
  const std::string clock = fmt::format("{:02}:{:02}:{:02}", seconds % day / hour,
                                        seconds % hour / minute, seconds % minute);
  return seconds < day ? clock : fmt::format("{}-{}", seconds / day, clock);
}

SlurmAmount parse_slurm_memory(std::string_view text) {
  const std::size_t digits = number_length(text);
  const ParsedNumber number = parse_number(text.substr(0, digits));
  std::string_view unit = text.substr(digits);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  double factor = 0;
  const std::string_view letters = "KMGT";
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const std::string letter(1, letters[i]);
    const auto power = static_cast<double>(i + 1);
    if (unit == letter || unit == letter + "iB") factor = std::pow(1024.0, power);
    if (unit == letter + "B" || (i == 0 && unit == "kB")) factor = std::pow(1000.0, power);
  }
  if (digits == 0 || !number.ok() || factor == 0 || !(number.value > 0) ||
      number.value * factor > 1e18)
    return {0, in_quotes(std::string(text)) +
                   " is no amount of memory: write it with its unit, such as 16G, 16 GiB or 16 GB"};
  return {static_cast<std::int64_t>(std::ceil(number.value * factor / 1048576.0)), ""};
}

}  // namespace trestle::jobs
