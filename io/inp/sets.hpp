// The sets of nodes and elements of a deck, resolved to positions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/inp/content.hpp"

namespace trestle::io {

/// A set of nodes or elements.
struct InpSet {
  std::string name;            // as it is first written
  InpPlace place;              // where that is
  std::vector<Index> members;  // positions, ascending and distinct
  bool internal = false;
};

/// The sets of one kind, by name whatever the case of its letters. Those of an assembly and those
/// of its part are apart; the assembly reaches the part's as `INSTANCE.NAME` too.
class InpSets {
 public:
  InpSets(const InpDeck& deck, const char* word, const IdTable& ids,
          const std::vector<std::int64_t>& tags)
      : deck_(deck), word_(word), ids_(ids), tags_(tags) {}

  /// Adds the positions [from, to) to the set called `name`.
  void add_range(const InpBlock& block, const std::string& name, std::pair<Index, Index> range);
  /// Adds what the data lines of a *NSET or *ELSET list.
  void add_lines(const InpBlock& block, const std::string& name);
  /// Adds `members`.
  void add(const InpBlock& block, const std::string& name, std::vector<Index> members);
  /// The members of a field: of the set with this name, or the one with this id, before which an
  /// assembly may write its instance (`P-1.12`). Throws MeshError with the nearest name when there
  /// is none.
  std::vector<Index> members_of(const InpLines& lines, std::string_view field,
                                bool in_assembly) const;
  /// The set called `name`; throws MeshError at `place`.
  const InpSet& named(InpPlace place, std::string_view name, bool in_assembly) const;

  /// Every set that is not internal, in the order of the deck, under distinct names.
  std::vector<InpSet> all() const;
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  using Table = std::map<std::string, std::size_t>;
  const InpSet* find(std::string_view name, bool in_assembly) const;
  void add_generated(const InpLines& lines, InpFields& fields, std::vector<Index>& members);

  const InpDeck& deck_;
  const char* word_;  // "node" or "element"
  const IdTable& ids_;
  const std::vector<std::int64_t>& tags_;
  std::vector<InpSet> sets_;
  std::vector<bool> of_assembly_;
  Table tables_[2];  // of the part, of the assembly: place in sets_
  std::vector<std::string> warnings_;
};

}  // namespace trestle::io
