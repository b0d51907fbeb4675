// Ids of a mesh file at their homes.
#include "io/mesh/shared_ids.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "mesh/key_table.hpp"

namespace trestle::io {
namespace {

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

}  // namespace

SharedIds::SharedIds(const Comm& comm, std::span<const std::int64_t> ids, GlobalIndex first)
    : comm_(comm), n_(comm.sum(static_cast<GlobalIndex>(ids.size()))) {
  lowest_ = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t id : ids) lowest_ = std::min(lowest_, id);
  lowest_ = comm.min(lowest_);
  for (std::size_t i = 0; i < ids.size() && consecutive_; ++i)
    consecutive_ = ids[i] - lowest_ == first + static_cast<GlobalIndex>(i);
  consecutive_ = comm.all(consecutive_);
  if (!consecutive_) make_table(ids, first);
}

std::size_t SharedIds::home_of(std::int64_t id) const {
  // Runs of ids stay together, their homes take turns.
  return (static_cast<std::uint64_t>(id) >> 10) % at(comm_.size());
}

void SharedIds::make_table(std::span<const std::int64_t> ids, GlobalIndex first) {
  std::vector<std::vector<std::int64_t>> to(at(comm_.size()));
  std::vector<std::vector<GlobalIndex>> places(at(comm_.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    to[home_of(ids[i])].push_back(ids[i]);
    places[home_of(ids[i])].push_back(first + static_cast<GlobalIndex>(i));
  }
  std::vector<std::int64_t> here;
  for (const auto& part : comm_.exchange(std::move(to)))
    here.insert(here.end(), part.begin(), part.end());
  for (const auto& part : comm_.exchange(std::move(places)))
    positions_.insert(positions_.end(), part.begin(), part.end());
  comm_.agree([&] {
    if (table_.build(here) > 0) throw MeshError("an id of the mesh file occurs twice");
  });
}

std::vector<GlobalIndex> SharedIds::find(std::span<const std::int64_t> ids) const {
  std::vector<std::vector<GlobalIndex>> answers(at(comm_.size()));
  std::vector<std::vector<std::int64_t>> asked(at(comm_.size()));
  for (const std::int64_t id : ids) asked[home_of(id)].push_back(id);
  asked = comm_.exchange(std::move(asked));
  comm_.agree([&] {
    for (std::size_t r = 0; r < asked.size(); ++r)
      for (const std::int64_t id : asked[r]) {
        const Index place = table_.find(id);
        if (place < 0) throw MeshError("an id is missing from the mesh file");
        answers[r].push_back(positions_[at(place)]);
      }
  });
  answers = comm_.exchange(std::move(answers));
  std::vector<std::size_t> taken(answers.size(), 0);
  std::vector<GlobalIndex> found;
  for (const std::int64_t id : ids) found.push_back(answers[home_of(id)][taken[home_of(id)]++]);
  return found;
}

void SharedIds::replace(std::span<std::vector<GlobalIndex>* const> lists) const {
  if (consecutive_) {
    comm_.agree([&] {
      for (std::vector<GlobalIndex>* list : lists)
        for (GlobalIndex& id : *list)
          if ((id -= lowest_) < 0 || id >= n_)
            throw MeshError("an id is missing from the mesh file");
    });
    return;
  }
  mesh::KeyTable<GlobalIndex> distinct;
  comm_.agree([&] {
    for (std::vector<GlobalIndex>* list : lists)
      for (GlobalIndex& id : *list) id = distinct.insert(id);
  });
  const std::vector<GlobalIndex> found = find(distinct.keys());
  for (std::vector<GlobalIndex>* list : lists)
    for (GlobalIndex& id : *list) id = found[at(id)];
}

}  // namespace trestle::io
