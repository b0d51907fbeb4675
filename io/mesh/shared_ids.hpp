// SharedIds: from the ids of a mesh file to positions, where each rank has a slice of the ids.
#pragma once

#include <span>
#include <vector>

#include "core/comm.hpp"
#include "io/mesh/id_table.hpp"

namespace trestle::io {

/// Every id is known on one rank, its home. Where ids follow each other in the order of positions,
/// as most programs write them, no table is needed.
class SharedIds {
 public:
  /// `ids` are those of positions [first, first + n) of this rank's share, positive, fewer than
  /// 2^31. Throws MeshError on all ranks when one occurs twice. Collective.
  SharedIds(const Comm& comm, std::span<const std::int64_t> ids, GlobalIndex first);

  /// Replaces ids, which are positive, by their positions, in several lists at once. Throws
  /// MeshError on all ranks when one is missing. Collective.
  void replace(std::span<std::vector<GlobalIndex>* const> lists) const;

 private:
  /// The positions of `ids`. Collective.
  std::vector<GlobalIndex> find(std::span<const std::int64_t> ids) const;
  /// Collective.
  void make_table(std::span<const std::int64_t> ids, GlobalIndex first);
  std::size_t home_of(std::int64_t id) const;

  const Comm& comm_;
  std::int64_t lowest_ = 0;
  GlobalIndex n_ = 0;        // ids of all ranks
  bool consecutive_ = true;  // id - lowest_ is the position
  IdTable table_;            // of the ids at home here
  std::vector<GlobalIndex> positions_;
};

}  // namespace trestle::io
