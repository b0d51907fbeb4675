#include "io/checkpoint/rows.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace trestle::io {

FromSlices::FromSlices(const Comm& comm, GlobalIndex n, std::span<const GlobalIndex> ids)
    : comm_(comm),
      slices_(n, comm.size()),
      wanted_(static_cast<std::size_t>(comm.size())),
      asked_(wanted_.size()),
      n_held_(ids.size()) {
  std::vector<std::vector<GlobalIndex>> requests(wanted_.size());
  comm_.agree([&] {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      require(ids[i] >= 0 && ids[i] < n, ExitCode::bug,
              fmt::format("checkpoint: row {} of {}", ids[i], n));
      const auto owner = static_cast<std::size_t>(slices_.owner(ids[i]));
      wanted_[owner].push_back(narrow<Index>(i));
      requests[owner].push_back(ids[i]);
    }
  });
  requests = comm_.exchange(std::move(requests));
  for (std::size_t r = 0; r < requests.size(); ++r)
    for (const GlobalIndex id : requests[r]) asked_[r].push_back(narrow<Index>(id - share().first));
}

std::vector<double> FromSlices::move(std::span<const double> slice, std::size_t width) const {
  std::size_t most = 0;
  for (const auto& rows : wanted_) most = std::max(most, rows.size());
  most = static_cast<std::size_t>(comm_.max(static_cast<std::int64_t>(most)));
  std::vector<double> held(n_held_ * width);
  for (std::size_t begin = 0; begin < most; begin += entries_per_round) {
    const auto in_round = [&](const std::vector<Index>& rows) {
      const std::size_t first = std::min(begin, rows.size());
      return std::span(rows).subspan(first, std::min(entries_per_round, rows.size() - first));
    };
    std::vector<std::vector<double>> messages(asked_.size());
    for (std::size_t r = 0; r < asked_.size(); ++r)
      for (const Index row : in_round(asked_[r])) {
        const auto values = slice.subspan(static_cast<std::size_t>(row) * width, width);
        messages[r].insert(messages[r].end(), values.begin(), values.end());
      }
    messages = comm_.exchange(std::move(messages));
    for (std::size_t r = 0; r < wanted_.size(); ++r) {
      auto from = messages[r].begin();
      for (const Index row : in_round(wanted_[r])) {
        std::copy_n(
            from, width,
            held.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * width));
        from += static_cast<std::ptrdiff_t>(width);
      }
    }
  }
  return held;
}

OwnedRows owned_rows(const solver::StateRows& rows) {
  OwnedRows owned;
  for (std::size_t i = 0; i < rows.ids.size(); ++i) {
    if (rows.owned[i] == 0) continue;
    owned.rows.push_back(narrow<Index>(i));
    owned.ids.push_back(rows.ids[i]);
  }
  return owned;
}

solver::StateRows node_rows(const IndexMap& map) {
  solver::StateRows rows{"nodes", map.n_global(), {map.ids().begin(), map.ids().end()}, {}};
  rows.owned.assign(rows.ids.size(), 0);
  std::fill_n(rows.owned.begin(), map.n_owned(), std::uint8_t{1});
  return rows;
}

}  // namespace trestle::io
