// Which rank owns which node: owned entries first, then ghosts, and who exchanges what with whom.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/comm.hpp"
#include "core/types.hpp"

namespace trestle {

/// Immutable and shared. A local entry is 0 .. n_owned-1 (owned) or n_owned .. n_local-1 (ghost).
/// Ghosts stand sorted by owner, then by canonical id, so that what comes from one neighbour is
/// contiguous.
class IndexMap {
 public:
  struct Neighbour {
    int rank;
    std::vector<Index> send;  // owned entries that the neighbour holds as ghosts, in its order
    Index receive_begin;      // ghosts that come from the neighbour: local [begin, end)
    Index receive_end;
  };

  /// `owned` and `ghosts` are canonical ids, each once; `ghost_owners` the owners' ranks. Ghosts
  /// may come in any order and are sorted here (see `ghost_order`). Collective.
  IndexMap(Comm comm, std::vector<GlobalIndex> owned, std::span<const GlobalIndex> ghosts,
           std::span<const int> ghost_owners);

  const Comm& comm() const { return comm_; }
  Index n_owned() const { return n_owned_; }
  Index n_ghosts() const { return narrow<Index>(ids_.size()) - n_owned_; }
  Index n_local() const { return narrow<Index>(ids_.size()); }
  GlobalIndex n_global() const { return n_global_; }
  /// Canonical id of every local entry.
  std::span<const GlobalIndex> ids() const { return ids_; }
  /// Row of every local entry in a numbering in which each rank's owned entries are contiguous.
  std::span<const GlobalIndex> rows() const { return rows_; }
  GlobalIndex first_row() const { return first_row_; }
  std::span<const int> ghost_owners() const { return ghost_owners_; }
  std::span<const Neighbour> neighbours() const { return neighbours_; }

 private:
  Comm comm_;
  Index n_owned_;
  GlobalIndex n_global_;
  GlobalIndex first_row_;
  std::vector<GlobalIndex> ids_;
  std::vector<GlobalIndex> rows_;
  std::vector<int> ghost_owners_;
  std::vector<Neighbour> neighbours_;
};

/// Fills the ghost entries of `values` [local entry, components] on the host. Collective.
template <Sendable T>
void update_ghosts(const IndexMap& map, std::span<T> values, int components = 1) {
  const auto n_ranks = static_cast<std::size_t>(map.comm().size());
  const auto width = static_cast<std::size_t>(components);
  std::vector<std::vector<T>> to(n_ranks);
  for (const auto& neighbour : map.neighbours()) {
    auto& part = to[static_cast<std::size_t>(neighbour.rank)];
    for (Index i : neighbour.send)
      for (std::size_t c = 0; c < width; ++c)
        part.push_back(values[static_cast<std::size_t>(i) * width + c]);
  }
  const auto from = map.comm().exchange(std::move(to));
  for (const auto& neighbour : map.neighbours()) {
    const auto& part = from[static_cast<std::size_t>(neighbour.rank)];
    std::copy(part.begin(), part.end(),
              values.begin() + static_cast<std::ptrdiff_t>(
                                   static_cast<std::size_t>(neighbour.receive_begin) * width));
  }
}

}  // namespace trestle
