#include "io/inp/sets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "io/mesh/bytes.hpp"

namespace trestle::io {
namespace {

void sort_distinct(std::vector<Index>& members) {
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
}

/// Whether the data lines of a set have ids, without an instance before them.
bool lists_ids(const InpDeck& deck, const InpBlock& block) {
  for (InpLines lines = deck.lines(block); lines.next();) {
    InpFields fields(lines.text());
    for (std::string_view field; fields.next(field);)
      if (is_number(field)) return true;
  }
  return false;
}

}  // namespace

void InpSets::add(const InpBlock& block, const std::string& name, std::vector<Index> members) {
  const std::string key = upper_case(name);
  const auto [entry, is_new] = tables_[block.in_assembly].try_emplace(key, sets_.size());
  if (is_new) {
    sets_.push_back({name, block.place, {}, block.find("INTERNAL") != nullptr});
    of_assembly_.push_back(block.in_assembly);
  }
  std::vector<Index>& all = sets_[entry->second].members;
  all.insert(all.end(), members.begin(), members.end());
  sort_distinct(all);
}

void InpSets::add_range(const InpBlock& block, const std::string& name,
                        std::pair<Index, Index> range) {
  std::vector<Index> members;
  for (Index i = range.first; i < range.second; ++i) members.push_back(i);
  add(block, name, std::move(members));
}

void InpSets::add_lines(const InpBlock& block, const std::string& name) {
  const bool generate = block.find("GENERATE") != nullptr;
  if (block.in_assembly && block.find("INSTANCE") == nullptr && lists_ids(deck_, block)) {
    warnings_.push_back(fmt::format(
        "{}: the set {} of the assembly itself is not taken: its ids are not those of the part.",
        deck_.files().text_of(block.place), quoted(name)));
    return;
  }
  std::vector<Index> members;
  for (InpLines lines = deck_.lines(block); lines.next();) {
    InpFields fields(lines.text());
    std::string_view field;
    if (generate)
      add_generated(lines, fields, members);
    else
      while (fields.next(field)) {
        const std::vector<Index> more = members_of(lines, field, block.in_assembly);
        members.insert(members.end(), more.begin(), more.end());
      }
    // Sets that list each other many times stay as small as the mesh.
    if (members.size() > 2 * tags_.size()) sort_distinct(members);
  }
  add(block, name, std::move(members));
}

void InpSets::add_generated(const InpLines& lines, InpFields& fields, std::vector<Index>& members) {
  std::int64_t values[3] = {0, 0, 1};
  std::string_view field;
  int n = 0;
  for (; fields.next(field); ++n) {
    if (n == 3) lines.fail("GENERATE takes a first id, a last one and a step, found more");
    values[n] = id_of(lines, field, n == 2 ? "the step of GENERATE" : "an id");
  }
  const auto [first, last, step] = values;
  if (n < 2 || last < first)
    lines.fail(
        fmt::format("GENERATE takes a first id, a last one that is not below it, and a step; "
                    "found {} to {}",
                    first, last));
  const std::int64_t count = (last - first) / step + 1;
  const std::size_t before = members.size();
  if (count <= static_cast<std::int64_t>(tags_.size())) {
    for (std::int64_t id = first; id <= last; id += step)
      if (const Index i = ids_.find(id); i >= 0) members.push_back(i);
  } else {
    for (std::size_t i = 0; i < tags_.size(); ++i)
      if (tags_[i] >= first && tags_[i] <= last && (tags_[i] - first) % step == 0)
        members.push_back(static_cast<Index>(i));
  }
  const auto found = static_cast<std::int64_t>(members.size() - before);
  if (found == 0)
    lines.fail(fmt::format("GENERATE from {} to {} by {} meets no {} of the deck", first, last,
                           step, word_));
  if (found < count && warnings_.size() < 20)
    warnings_.push_back(
        fmt::format("{}: GENERATE from {} to {} by {} passes over {} ids that no {} has.",
                    deck_.files().text_of(lines.place()), first, last, step, count - found, word_));
}

std::vector<Index> InpSets::members_of(const InpLines& lines, std::string_view field,
                                       bool in_assembly) const {
  std::string name(field);
  std::erase(name, '"');
  const std::string prefix = deck_.instance() + ".";
  const bool is_label = in_assembly && name.size() > prefix.size() &&
                        upper_case(name).starts_with(upper_case(prefix)) &&
                        is_number(std::string_view(name).substr(prefix.size()));
  if (is_label) field = std::string_view(name).substr(prefix.size());
  if (!field.empty() && !is_number(field)) return named(lines.place(), name, in_assembly).members;
  const std::int64_t id =
      id_of(lines, field, fmt::format("the id or the set of {}s", word_).c_str());
  const Index position = ids_.find(id);
  if (position < 0) lines.fail(fmt::format("there is no {} {} in the deck", word_, id));
  return {position};
}

const InpSet* InpSets::find(std::string_view name, bool in_assembly) const {
  std::string key = upper_case(name);
  const auto own = tables_[in_assembly].find(key);
  if (own != tables_[in_assembly].end()) return &sets_[own->second];
  const std::string prefix = upper_case(deck_.instance()) + ".";
  if (in_assembly && key.starts_with(prefix)) key.erase(0, prefix.size());
  const auto part = tables_[0].find(key);
  return in_assembly && part != tables_[0].end() ? &sets_[part->second] : nullptr;
}

const InpSet& InpSets::named(InpPlace place, std::string_view name, bool in_assembly) const {
  if (const InpSet* found = find(name, in_assembly)) return *found;
  std::vector<std::string> keys;
  std::map<std::string, std::string> written;
  for (const auto& table : tables_)
    for (const auto& [key, s] : table) {
      keys.push_back(key);
      written[key] = sets_[s].name;
    }
  const std::string near = nearest_word(upper_case(name), keys);
  deck_.files().fail(
      place,
      fmt::format("there is no set of {}s {} before this line{}", word_,
                  deck_.files().shown(place, name),
                  near.empty() ? "" : fmt::format("; did you mean {}?", quoted(written[near]))));
}

std::vector<InpSet> InpSets::all() const {
  std::vector<InpSet> result;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    if (sets_[s].internal) continue;
    result.push_back(sets_[s]);
    const bool hidden = !of_assembly_[s] && tables_[1].contains(upper_case(sets_[s].name));
    if (hidden) result.back().name = deck_.instance() + "." + sets_[s].name;
  }
  return result;
}

}  // namespace trestle::io
