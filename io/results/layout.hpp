// Who writes which part of a results file: slices of rows by rank, pieces of datasets by chunk,
// checksums by block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "core/types.hpp"

namespace trestle::io {

/// Rows are dealt out, and hashed, in blocks of this many: a block of any of our rows fills whole
/// pages of 4096 bytes, so that no two ranks write to one page of a chunk.
constexpr GlobalIndex rows_per_block = 512;

/// Rows [0, n) as contiguous slices, one a rank, cut at block borders.
class Slices {
 public:
  Slices(GlobalIndex n, int n_ranks);
  GlobalIndex n() const { return n_; }
  Share of(int rank) const;
  int owner(GlobalIndex row) const;

 private:
  GlobalIndex n_;
  GlobalIndex n_blocks_;
  int n_ranks_;
};

/// Rows per chunk of a dataset of `rows_per_step` rows of `row_bytes`: a whole step, or at most
/// `limit` bytes.
GlobalIndex chunk_rows(GlobalIndex rows_per_step, std::size_t row_bytes, std::size_t limit);

/// Rows that stand together in one chunk.
struct Piece {
  GlobalIndex chunk;         // number of the chunk
  GlobalIndex row_in_chunk;  // first row, counted from the chunk's begin
  GlobalIndex n_rows;
};
/// The pieces of rows [first, last) of a dataset with chunks of `rows_per_chunk` rows, ascending.
std::vector<Piece> pieces_of(Share rows, GlobalIndex rows_per_chunk);

/// XXH3 of each block of rows, of which block b has bytes [ends[b-1], ends[b]) of `data`.
std::vector<std::uint64_t> block_hashes(std::span<const std::byte> data,
                                        std::span<const std::size_t> ends);
/// The same for rows of `row_bytes`, in blocks of `rows_per_block`.
std::vector<std::uint64_t> block_hashes(std::span<const std::byte> data, std::size_t row_bytes);
/// One number for all blocks: XXH3 of their hashes, each 8 bytes, little-endian.
std::uint64_t hash_of_hashes(std::span<const std::uint64_t> hashes);

/// XXH3 of texts, each followed by a zero byte.
std::uint64_t hash_of_texts(std::span<const std::string> texts);
/// XXH3 of what the file tells of a step: its name and a zero byte, its value, and the checksums of
/// its fields, 8 bytes each, little-endian.
std::uint64_t hash_of_step(const std::string& name, double value,
                           std::span<const std::uint64_t> checksums);

/// Most entries that one rank sends to another at a time.
constexpr std::size_t entries_per_round = 262144;

/// Brings what owners have, in any order, to slices in the order of ids.
class ToSlices {
 public:
  /// `ids`: row of each owned entry. Throws Error(70) on all ranks unless every row 0 .. n-1 is
  /// there once; `what` names the rows. Collective.
  ToSlices(const Comm& comm, GlobalIndex n, std::span<const GlobalIndex> ids,
           const std::string& what);

  Share share() const { return slices_.of(comm_.rank()); }
  /// values [owned entry, width] -> [row of this rank's slice, width]. Collective.
  template <Sendable T>
  std::vector<T> move(std::span<const T> values, std::size_t width = 1) const;
  /// Lists of different lengths: list(i) is that of entry i, row r of the slice has values
  /// [ends[r-1], ends[r]) of the result. Collective.
  template <Sendable T, class List>
  std::vector<T> move_lists(List& list, std::span<const Offset> ends) const;

 private:
  /// What of `entries` [rank] goes to or comes from `rank`, another one, in the round that begins
  /// with entry `begin`.
  std::span<const Index> others_in_round(const std::vector<std::vector<Index>>& entries,
                                         std::size_t rank, std::size_t begin) const {
    const std::span<const Index> all(entries[rank]);
    if (rank == static_cast<std::size_t>(comm_.rank()) || begin >= all.size()) return {};
    return all.subspan(begin, std::min(entries_per_round, all.size() - begin));
  }
  std::size_t n_here() const { return static_cast<std::size_t>(share().count()); }
  /// What entries of this rank belong to its own slice does not travel; the others go in rounds of
  /// at most `entries_per_round` to each rank, so that messages stay small.
  template <Sendable T, class From, class To>
  void bring(From&& from, To&& to) const;

  Comm comm_;
  Slices slices_;
  std::vector<std::vector<Index>> send_;     // by rank: owned entries
  std::vector<std::vector<Index>> receive_;  // by rank: rows of the slice, same order
  std::size_t most_entries_ = 0;             // that any rank sends to another
};

/// The values of entries, one after another.
template <Sendable T, class From>
void pack(std::span<const Index> entries, From& from, std::vector<T>& message) {
  std::size_t size = 0;
  for (const Index entry : entries) size += from(static_cast<std::size_t>(entry)).size();
  message.resize(size);
  auto to = message.begin();
  for (const Index entry : entries)
    to = std::ranges::copy(from(static_cast<std::size_t>(entry)), to).out;
}

/// from(i) is the span of values of entry i, to(row) where they go.
template <Sendable T, class From, class To>
void ToSlices::bring(From&& from, To&& to) const {
  const auto here = static_cast<std::size_t>(comm_.rank());
  for (std::size_t k = 0; k < send_[here].size(); ++k)
    std::ranges::copy(from(static_cast<std::size_t>(send_[here][k])),
                      to(static_cast<std::size_t>(receive_[here][k])).begin());
  for (std::size_t begin = 0; begin < most_entries_; begin += entries_per_round) {
    std::vector<std::vector<T>> messages(send_.size());
    for (std::size_t r = 0; r < send_.size(); ++r)
      pack<T>(others_in_round(send_, r, begin), from, messages[r]);
    messages = comm_.exchange(std::move(messages));
    for (std::size_t r = 0; r < send_.size(); ++r) {
      std::span<const T> message(messages[r]);
      for (Index entry : others_in_round(receive_, r, begin)) {
        const auto row = to(static_cast<std::size_t>(entry));
        std::ranges::copy(message.first(row.size()), row.begin());
        message = message.subspan(row.size());
      }
    }
  }
}

template <Sendable T>
std::vector<T> ToSlices::move(std::span<const T> values, std::size_t width) const {
  std::vector<T> slice(n_here() * width);
  if (width == 1)  // as the compiler may know
    bring<T>([&](std::size_t i) { return std::span<const T, 1>(&values[i], 1); },
             [&](std::size_t row) { return std::span<T, 1>(&slice[row], 1); });
  else
    bring<T>([&](std::size_t i) { return values.subspan(i * width, width); },
             [&](std::size_t row) { return std::span(slice).subspan(row * width, width); });
  return slice;
}

template <Sendable T, class List>
std::vector<T> ToSlices::move_lists(List& list, std::span<const Offset> ends) const {
  std::vector<T> slice(ends.empty() ? 0 : static_cast<std::size_t>(ends.back()));
  bring<T>(list, [&](std::size_t row) {
    const auto begin = static_cast<std::size_t>(row == 0 ? 0 : ends[row - 1]);
    return std::span(slice).subspan(begin, static_cast<std::size_t>(ends[row]) - begin);
  });
  return slice;
}

}  // namespace trestle::io
