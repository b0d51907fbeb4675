// IdTable: from the ids of a mesh file to positions.
#pragma once

#include <utility>
#include <vector>

#include "core/types.hpp"

namespace trestle::io {

/// Finds the position of a node or an element by its id: by a table where ids are about dense, else
/// by a sorted list, so that huge ids cost nothing.
class IdTable {
 public:
  /// `ids` are positive and fewer than 2^31. Returns an id that occurs twice, 0 when there is none.
  [[nodiscard]] std::int64_t build(const std::vector<std::int64_t>& ids);
  /// -1 when there is no such id.
  Index find(std::int64_t id) const;

 private:
  std::int64_t first_ = 0;
  std::vector<Index> dense_;                            // [id - first_]
  std::vector<std::pair<std::int64_t, Index>> sorted_;  // (id, position)
};

}  // namespace trestle::io
