#include "io/case/faults.hpp"

#include <algorithm>
#include <tuple>

namespace trestle::io {

void Faults::add(const SourcePosition& where, const std::string& message) {
  add(CaseError({with_place(where, message)}), where);
}

void Faults::add(const CaseError& error, const SourcePosition& where) {
  for (const std::string& message : error.messages()) {
    const bool known = std::any_of(all_.begin(), all_.end(),
                                   [&](const Fault& fault) { return fault.message == message; });
    if (!known && !full()) all_.push_back({where, message});
  }
}

void Faults::raise() const {
  if (all_.empty()) return;
  std::vector<Fault> sorted = all_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  std::vector<std::string> messages;
  for (const Fault& fault : sorted) messages.push_back(fault.message);
  if (full())
    messages.push_back("more mistakes follow; these are the first " +
                       std::to_string(messages.size()));
  throw CaseError(messages);
}

std::string suggestion(const std::string& word, const std::vector<std::string>& words) {
  const std::string near = word.empty() || words.size() > 1000 ? "" : nearest_word(word, words);
  if (!near.empty()) return ", did you mean \"" + near + "\"?";
  if (words.empty() || words.size() > 30) return "";
  std::string list;
  for (const std::string& one : words) list += (list.empty() ? "" : ", ") + one;
  return "; known: " + list;
}

}  // namespace trestle::io
