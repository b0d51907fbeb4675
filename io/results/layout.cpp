#include "io/results/layout.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>

#include "core/error.hpp"

namespace trestle::io {

Slices::Slices(GlobalIndex n, int n_ranks)
    : n_(n), n_blocks_((n + rows_per_block - 1) / rows_per_block), n_ranks_(n_ranks) {}

Share Slices::of(int rank) const {
  const Share blocks = share_of(n_blocks_, rank, n_ranks_);
  return {std::min(n_, blocks.first * rows_per_block), std::min(n_, blocks.last * rows_per_block)};
}

int Slices::owner(GlobalIndex row) const {
  return share_owner(n_blocks_, n_ranks_, row / rows_per_block);
}

GlobalIndex chunk_rows(GlobalIndex rows_per_step, std::size_t row_bytes, std::size_t limit) {
  const auto most = static_cast<GlobalIndex>(limit / row_bytes);
  if (rows_per_step <= most) return std::max<GlobalIndex>(1, rows_per_step);
  return std::max(rows_per_block, most / rows_per_block * rows_per_block);
}

std::vector<Piece> pieces_of(Share rows, GlobalIndex rows_per_chunk) {
  std::vector<Piece> pieces;
  while (rows.first < rows.last) {
    const GlobalIndex chunk = rows.first / rows_per_chunk;
    const GlobalIndex end = std::min(rows.last, (chunk + 1) * rows_per_chunk);
    pieces.push_back({chunk, rows.first - chunk * rows_per_chunk, end - rows.first});
    rows.first = end;
  }
  return pieces;
}

std::vector<std::uint64_t> block_hashes(std::span<const std::byte> data,
                                        std::span<const std::size_t> ends) {
  std::vector<std::uint64_t> hashes;
  std::size_t begin = 0;
  for (std::size_t end : ends) {
    hashes.push_back(XXH3_64bits(data.data() + begin, end - begin));
    begin = end;
  }
  return hashes;
}

std::vector<std::uint64_t> block_hashes(std::span<const std::byte> data, std::size_t row_bytes) {
  const std::size_t block = row_bytes * static_cast<std::size_t>(rows_per_block);
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < data.size(); at += block)
    ends.push_back(std::min(at + block, data.size()));
  return block_hashes(data, ends);
}

std::uint64_t hash_of_hashes(std::span<const std::uint64_t> hashes) {
  return XXH3_64bits(hashes.data(), hashes.size_bytes());
}

std::uint64_t hash_of_texts(std::span<const std::string> texts) {
  std::string all;
  for (const std::string& text : texts) all.append(text).push_back('\0');
  return XXH3_64bits(all.data(), all.size());
}

std::uint64_t hash_of_step(const std::string& name, double value,
                           std::span<const std::uint64_t> checksums) {
  std::string all = name + '\0';
  all.append(reinterpret_cast<const char*>(&value), sizeof(value));
  all.append(reinterpret_cast<const char*>(checksums.data()), checksums.size_bytes());
  return XXH3_64bits(all.data(), all.size());
}

ToSlices::ToSlices(const Comm& comm, GlobalIndex n, std::span<const GlobalIndex> ids,
                   const std::string& what)
    : comm_(comm), slices_(n, comm.size()), send_(static_cast<std::size_t>(comm.size())) {
  const auto refuse = [&](const std::string& why, GlobalIndex id) {
    throw Error(ExitCode::bug, fmt::format("results: {} id {} {}", what, id, why));
  };
  const auto here = static_cast<std::size_t>(comm.rank());
  std::vector<std::vector<GlobalIndex>> to(send_.size());
  comm.agree([&] {
    std::vector<std::size_t> counts(send_.size(), 0);
    for (GlobalIndex id : ids) {
      if (id < 0 || id >= n) refuse(fmt::format("is not in 0 .. {}", n - 1), id);
      ++counts[static_cast<std::size_t>(slices_.owner(id))];
    }
    for (std::size_t r = 0; r < send_.size(); ++r) send_[r].reserve(counts[r]);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto owner = static_cast<std::size_t>(slices_.owner(ids[i]));
      send_[owner].push_back(narrow<Index>(i));
      if (owner != here) to[owner].push_back(ids[i]);
    }
  });
  const auto from = comm.exchange(std::move(to));
  comm.agree([&] {
    std::vector<bool> there(n_here(), false);
    const GlobalIndex first = share().first;
    const auto add = [&](GlobalIndex id) {
      const auto row = static_cast<std::size_t>(id - first);
      if (there[row]) refuse("has two owners", id);
      there[row] = true;
      receive_.back().push_back(narrow<Index>(id - first));
    };
    for (std::size_t r = 0; r < from.size(); ++r) {
      receive_.emplace_back().reserve(r == here ? send_[r].size() : from[r].size());
      if (r == here)
        for (Index i : send_[r]) add(ids[static_cast<std::size_t>(i)]);
      else
        for (GlobalIndex id : from[r]) add(id);
    }
    const auto missing = std::find(there.begin(), there.end(), false);
    if (missing != there.end()) refuse("has no owner", first + (missing - there.begin()));
  });
  for (std::size_t r = 0; r < send_.size(); ++r)
    if (r != here) most_entries_ = std::max(most_entries_, send_[r].size());
  most_entries_ = static_cast<std::size_t>(comm.max(static_cast<GlobalIndex>(most_entries_)));
}

}  // namespace trestle::io
