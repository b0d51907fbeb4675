// Arrays cut into slices by canonical id (share_of): reading entries that lie on other ranks.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/comm.hpp"
#include "mesh/hilbert.hpp"
#include "mesh/raw_mesh.hpp"

namespace trestle::mesh {

/// Bounding box of the nodes of this slice, and of all slices.
Bounds bounds_of(const RawMesh& mesh);
/// Collective.
Bounds bounds_of(const Comm& comm, const RawMesh& mesh);

/// Entries `ids` of an array of `n` entries of `width` numbers, of which each rank holds its
/// share in `slice`; [id, width] in the order of `ids`. Collective.
template <Sendable T>
std::vector<T> fetch(const Comm& comm, GlobalIndex n, std::span<const GlobalIndex> ids,
                     std::span<const T> slice, std::size_t width = 1) {
  const Share own = share_of(n, comm.rank(), comm.size());
  const auto entry = [&](GlobalIndex id) {
    return slice.subspan(static_cast<std::size_t>(id - own.first) * width, width);
  };
  const auto n_ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::vector<GlobalIndex>> wanted(n_ranks);
  for (GlobalIndex id : ids)
    if (id < own.first || id >= own.last)
      wanted[static_cast<std::size_t>(share_owner(n, comm.size(), id))].push_back(id);
  std::vector<std::vector<T>> answers(n_ranks);
  const auto asked = comm.exchange(std::move(wanted));
  for (std::size_t r = 0; r < n_ranks; ++r)
    for (GlobalIndex id : asked[r]) {
      const std::span<const T> values = entry(id);
      answers[r].insert(answers[r].end(), values.begin(), values.end());
    }
  const auto came = comm.exchange(std::move(answers));
  std::vector<T> result(ids.size() * width);
  std::vector<std::size_t> taken(n_ranks, 0);
  auto out = result.begin();
  for (GlobalIndex id : ids) {
    if (id >= own.first && id < own.last) {
      out = std::ranges::copy(entry(id), out).out;
      continue;
    }
    const auto r = static_cast<std::size_t>(share_owner(n, comm.size(), id));
    out = std::ranges::copy(std::span<const T>(came[r]).subspan(taken[r], width), out).out;
    taken[r] += width;
  }
  return result;
}

/// The inverse of cutting: entry `ids[i]` (each id of 0 .. n-1 once over all ranks) goes to the
/// rank whose share holds it; returns the share of this rank. Collective.
template <Sendable T>
std::vector<T> place(const Comm& comm, GlobalIndex n, std::span<const GlobalIndex> ids,
                     std::span<const T> values, std::size_t width = 1) {
  const auto n_ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::vector<GlobalIndex>> where(n_ranks);
  std::vector<std::vector<T>> what(n_ranks);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto r = static_cast<std::size_t>(share_owner(n, comm.size(), ids[i]));
    where[r].push_back(ids[i]);
    what[r].insert(what[r].end(), values.begin() + static_cast<std::ptrdiff_t>(i * width),
                   values.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
  }
  where = comm.exchange(std::move(where));
  what = comm.exchange(std::move(what));
  const Share own = share_of(n, comm.rank(), comm.size());
  std::vector<T> slice(static_cast<std::size_t>(own.count()) * width);
  for (std::size_t r = 0; r < n_ranks; ++r)
    for (std::size_t i = 0; i < where[r].size(); ++i)
      std::copy_n(what[r].begin() + static_cast<std::ptrdiff_t>(i * width), width,
                  slice.begin() + static_cast<std::ptrdiff_t>(
                                      static_cast<std::size_t>(where[r][i] - own.first) * width));
  return slice;
}

}  // namespace trestle::mesh
