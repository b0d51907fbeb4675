// NodeNumbers: canonical node ids numbered in the order of their first use.
#pragma once

#include <vector>

#include "mesh/key_table.hpp"

namespace trestle::mesh {

/// Ids of a window are found by a table with an entry each, others by hashing.
class NodeNumbers {
 public:
  /// The window is [first, last).
  NodeNumbers(GlobalIndex first, GlobalIndex last)
      : first_(first), window_(static_cast<std::size_t>(last - first), -1) {}

  /// The number of `id`, which is added when it is new.
  Index insert(GlobalIndex id) {
    if (const std::uint64_t place = place_of(id); place < window_.size()) {
      Index& number = window_[place];
      if (number < 0) number = add(id);
      return number;
    }
    const auto other = static_cast<std::size_t>(table_.insert(id));
    if (other == number_of_other_.size()) number_of_other_.push_back(add(id));
    return number_of_other_[other];
  }

  /// The number of `id`, or -1.
  Index find(GlobalIndex id) const {
    if (const std::uint64_t place = place_of(id); place < window_.size()) return window_[place];
    const Index other = table_.find(id);
    return other < 0 ? -1 : number_of_other_[static_cast<std::size_t>(other)];
  }

  /// All ids by number.
  const std::vector<GlobalIndex>& ids() const { return ids_; }
  std::size_t size() const { return ids_.size(); }

 private:
  std::uint64_t place_of(GlobalIndex id) const {
    return static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_);
  }
  Index add(GlobalIndex id) {
    ids_.push_back(id);
    return narrow<Index>(ids_.size() - 1);
  }

  GlobalIndex first_;
  std::vector<Index> window_;  // [id - first_], -1: not used
  KeyTable<GlobalIndex> table_;
  std::vector<Index> number_of_other_;  // by number in table_
  std::vector<GlobalIndex> ids_;
};

}  // namespace trestle::mesh
