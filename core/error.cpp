#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

namespace trestle {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

/// `text` without the quotes and the invisible characters that word processors and web pages put
/// around or into words, and with plain dashes and blanks.
std::string plain(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 25> spellings{{
      {"\u201c", ""},  {"\u201d", ""},  {"\u201e", ""},  {"\u2018", ""},  {"\u2019", ""},
      {"\u201a", ""},  {"\u00ab", ""},  {"\u00bb", ""},  {"\"", ""},      {"'", ""},
      {"`", ""},       {"\u200b", ""},  {"\u200c", ""},  {"\u200d", ""},  {"\u2060", ""},
      {"\ufeff", ""},  {"\u00ad", ""},  {"\u2010", "-"}, {"\u2011", "-"}, {"\u2012", "-"},
      {"\u2013", "-"}, {"\u2014", "-"}, {"\u2212", "-"}, {"\u00a0", " "}, {"\u202f", " "},
  }};
  for (const auto& [odd, usual] : spellings)
    for (std::size_t at = text.find(odd); at != std::string::npos; at = text.find(odd, at))
      text.replace(at, odd.size(), usual);
  return text;
}

/// The letters of a text in UTF-8.
std::vector<std::string_view> letters(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    for (++end; end < text.size() && (text[end] & 0xC0) == 0x80;) ++end;
    all.push_back(text.substr(begin, end - begin));
  }
  return all;
}

/// Levenshtein distance with swaps of neighbours counted once [Damerau 1964, restricted form].
std::size_t edit_distance(std::string_view one, std::string_view other) {
  const std::vector<std::string_view> a = letters(one), b = letters(other);
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// The candidate with the fewest edits: none of one letter, else one, at most a third of the
/// letters of `word`; else null.
const std::string* nearest_by_edits(const std::string& word,
                                    const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  const std::size_t n = letters(word).size();
  std::size_t best_distance = n < 2 ? 1 : std::max<std::size_t>(1, n / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = &candidate;
  }
  return best;
}

/// The word and then the parts of a compound such as boundary_conditions, the last one first, as it
/// says what the whole is; all of three letters or more.
std::vector<std::string> with_parts(const std::string& word) {
  std::vector<std::string> parts{word, ""};
  for (const char c : word) {
    if (c == '_' || c == '-' || c == ' ')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  std::reverse(parts.begin() + 1, parts.end());
  std::erase_if(parts, [](const std::string& part) { return part.size() < 3; });
  return parts;
}

/// The candidate that a part of `word` spells, begins, or misses by a quarter of its letters: young
/// for youngs_modulus, boundary for boundary_conditions, tolerance for tol; else null.
const std::string* nearest_by_parts(const std::string& word,
                                    const std::vector<std::string>& candidates) {
  for (const std::string& part : with_parts(word))
    for (const std::string& candidate : candidates)
      if (candidate.starts_with(part) ||
          (candidate.size() >= 3 && edit_distance(part, candidate) <= part.size() / 4))
        return &candidate;
  return nullptr;
}

}  // namespace

std::string to_string(const SourcePosition& where) {
  std::string text = where.file;
  if (where.line > 0) text += ":" + std::to_string(where.line);
  if (where.line > 0 && where.column > 0) text += ":" + std::to_string(where.column);
  return text;
}

std::string with_place(const SourcePosition& where, const std::string& message) {
  const std::size_t blank = where.line > 0 ? std::string::npos : where.file.find(' ');
  if (blank != std::string::npos) {
    const std::string key = where.file.substr(blank + 1);
    const bool named = message.starts_with(key + ":") || message.starts_with(key + ".");
    if (named) return where.file.substr(0, blank + 1) + message;
  }
  return where.file.empty() ? message : to_string(where) + ": " + message;
}

CaseError::CaseError(std::vector<std::string> messages)
    : Error(ExitCode::case_file, joined(messages)), messages_(std::move(messages)) {}

CaseError::CaseError(const SourcePosition& where, const std::string& message)
    : CaseError(std::vector<std::string>{with_place(where, message)}) {}

std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates)
    if (lower_case(candidate) == lower_case(word)) return candidate;
  if (const std::string* near = nearest_by_edits(word, candidates)) return *near;
  std::vector<std::string> alike;
  for (const std::string& candidate : candidates) alike.push_back(lower_case(plain(candidate)));
  const std::string one = lower_case(plain(word));
  const std::string* near = nearest_by_edits(one, alike);
  if (near == nullptr) near = nearest_by_parts(one, alike);
  return near == nullptr ? "" : candidates[static_cast<std::size_t>(near - alike.data())];
}

}  // namespace trestle
