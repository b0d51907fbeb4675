#include "io/mesh/id_table.hpp"

#include <algorithm>

namespace trestle::io {

std::int64_t IdTable::build(const std::vector<std::int64_t>& ids) {
  if (ids.empty()) return 0;
  const auto [low, high] = std::minmax_element(ids.begin(), ids.end());
  first_ = *low;
  const auto range = static_cast<std::uint64_t>(*high - *low) + 1;
  const bool dense = range <= 4 * ids.size();
  if (dense) dense_.assign(range, -1);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!dense) {
      sorted_.emplace_back(ids[i], static_cast<Index>(i));
      continue;
    }
    Index& place = dense_[static_cast<std::size_t>(ids[i] - first_)];
    if (place >= 0) return ids[i];
    place = static_cast<Index>(i);
  }
  std::sort(sorted_.begin(), sorted_.end());
  const auto twice =
      std::adjacent_find(sorted_.begin(), sorted_.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; });
  return twice != sorted_.end() ? twice->first : 0;
}

Index IdTable::find(std::int64_t id) const {
  if (!dense_.empty()) {
    const std::uint64_t place = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_);
    return place < dense_.size() ? dense_[place] : -1;
  }
  const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{id, Index{-1}});
  return found != sorted_.end() && found->first == id ? found->second : -1;
}

}  // namespace trestle::io
