// The mistakes of a case file, gathered so that one pass reports all of them.
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"

namespace trestle::io {

class Faults {
 public:
  /// Adds "file:line:column: message"; what was said of the same place already is left out.
  void add(const SourcePosition& where, const std::string& message);
  /// Adds the messages of an error that has its places already.
  void add(const CaseError& error, const SourcePosition& where);

  bool empty() const { return all_.empty(); }
  /// Whether so many came that more would not help anyone.
  bool full() const { return all_.size() >= most; }
  /// Throws CaseError with every message in the order of the file; nothing when there is none.
  void raise() const;

 private:
  struct Fault {
    SourcePosition where;
    std::string message;
  };
  static constexpr std::size_t most = 200;
  std::vector<Fault> all_;
};

/// ", did you mean X?" with the nearest of `words`; else, and for an empty `word`, "; known: " and
/// the words when they are few.
std::string suggestion(const std::string& word, const std::vector<std::string>& words);

}  // namespace trestle::io
