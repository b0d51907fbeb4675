#include "core/index_map.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/error.hpp"

namespace trestle {

IndexMap::IndexMap(Comm comm, std::vector<GlobalIndex> owned, std::span<const GlobalIndex> ghosts,
                   std::span<const int> ghost_owners)
    : comm_(std::move(comm)),
      n_owned_(narrow<Index>(owned.size())),
      n_global_(comm_.sum(narrow<GlobalIndex>(owned.size()))),
      first_row_(comm_.exclusive_sum(narrow<GlobalIndex>(owned.size()))),
      ids_(std::move(owned)) {
  std::vector<std::size_t> order(ghosts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(ghost_owners[a], ghosts[a]) < std::pair(ghost_owners[b], ghosts[b]);
  });
  const auto n_ranks = static_cast<std::size_t>(comm_.size());
  std::vector<std::vector<GlobalIndex>> wanted(n_ranks);
  for (std::size_t g : order) {
    wanted[static_cast<std::size_t>(ghost_owners[g])].push_back(ghosts[g]);
    ids_.push_back(ghosts[g]);
    ghost_owners_.push_back(ghost_owners[g]);
  }

  const auto asked = comm_.exchange(wanted);
  std::unordered_map<GlobalIndex, Index> local;
  if (std::any_of(asked.begin(), asked.end(), [](const auto& part) { return !part.empty(); }))
    for (Index i = 0; i < n_owned_; ++i) local.emplace(ids_[static_cast<std::size_t>(i)], i);
  std::vector<std::vector<Index>> send(n_ranks);
  comm_.agree([&] {
    for (std::size_t r = 0; r < n_ranks; ++r)
      for (GlobalIndex id : asked[r]) {
        const auto found = local.find(id);
        require(found != local.end(), ExitCode::bug,
                "node " + std::to_string(id) + " is not owned by the rank that was asked for it");
        send[r].push_back(found->second);
      }
  });

  Index at = n_owned_;
  for (int r = 0; r < comm_.size(); ++r) {
    const Index end = at + narrow<Index>(wanted[static_cast<std::size_t>(r)].size());
    if (end > at || !send[static_cast<std::size_t>(r)].empty())
      neighbours_.push_back({r, std::move(send[static_cast<std::size_t>(r)]), at, end});
    at = end;
  }
  rows_.resize(ids_.size());
  std::iota(rows_.begin(), rows_.begin() + n_owned_, first_row_);
  update_ghosts(*this, std::span<GlobalIndex>(rows_));
}

}  // namespace trestle
