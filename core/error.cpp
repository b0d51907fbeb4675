#include "core/error.hpp"

#include <algorithm>
#include <numeric>

namespace trestle {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

/// Levenshtein distance with swaps of neighbours counted once [Damerau 1964, restricted form].
std::size_t edit_distance(const std::string& a, const std::string& b) {
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
  std::size_t best_distance = word.size() < 2 ? 1 : std::max<std::size_t>(1, word.size() / 3) + 1;
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

CaseError::CaseError(std::vector<std::string> messages)
    : Error(ExitCode::case_file, joined(messages)), messages_(std::move(messages)) {}

CaseError::CaseError(const SourcePosition& where, const std::string& message)
    : CaseError(std::vector<std::string>{to_string(where) + ": " + message}) {}

std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates) {
  if (const std::string* near = nearest_by_edits(word, candidates)) return *near;
  std::vector<std::string> lower;
  for (const std::string& candidate : candidates) lower.push_back(lower_case(candidate));
  const std::string* near = nearest_by_edits(lower_case(word), lower);
  if (near == nullptr) near = nearest_by_parts(lower_case(word), lower);
  return near == nullptr ? "" : candidates[static_cast<std::size_t>(near - lower.data())];
}

}  // namespace trestle
