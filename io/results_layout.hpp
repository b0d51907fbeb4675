// Who writes which part of a results file: slices of rows by rank, pieces of datasets by chunk,
// checksums by block.
#pragma once

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
  /// Lists of entry i: values [begin of i .. begin of i+1) of `lists`; `counts_in_slice` are their
  /// lengths by row of the slice (move them first). Collective.
  template <Sendable T>
  std::vector<T> move_lists(const std::vector<std::vector<T>>& lists,
                            std::span<const Index> counts_in_slice) const;

 private:
  std::size_t n_here() const { return static_cast<std::size_t>(share().count()); }
  Comm comm_;
  Slices slices_;
  std::vector<std::vector<std::size_t>> send_;     // by rank: owned entries
  std::vector<std::vector<std::size_t>> receive_;  // by rank: rows of the slice, same order
};

template <Sendable T>
std::vector<T> ToSlices::move(std::span<const T> values, std::size_t width) const {
  std::vector<std::vector<T>> to(send_.size());
  for (std::size_t r = 0; r < send_.size(); ++r) {
    to[r].reserve(send_[r].size() * width);
    for (std::size_t i : send_[r])
      for (std::size_t c = 0; c < width; ++c) to[r].push_back(values[i * width + c]);
  }
  const auto from = comm_.exchange(to);
  std::vector<T> slice(n_here() * width);
  for (std::size_t r = 0; r < from.size(); ++r)
    for (std::size_t k = 0; k < receive_[r].size(); ++k)
      for (std::size_t c = 0; c < width; ++c)
        slice[receive_[r][k] * width + c] = from[r][k * width + c];
  return slice;
}

template <Sendable T>
std::vector<T> ToSlices::move_lists(const std::vector<std::vector<T>>& lists,
                                    std::span<const Index> counts_in_slice) const {
  std::vector<std::vector<T>> to(send_.size());
  for (std::size_t r = 0; r < send_.size(); ++r)
    for (std::size_t i : send_[r]) to[r].insert(to[r].end(), lists[i].begin(), lists[i].end());
  const auto from = comm_.exchange(to);
  std::vector<std::size_t> begin(n_here() + 1, 0);
  for (std::size_t i = 0; i < n_here(); ++i)
    begin[i + 1] = begin[i] + static_cast<std::size_t>(counts_in_slice[i]);
  std::vector<T> slice(begin.back());
  for (std::size_t r = 0; r < from.size(); ++r) {
    std::size_t at = 0;
    for (std::size_t row : receive_[r])
      for (std::size_t k = begin[row]; k < begin[row + 1]; ++k) slice[k] = from[r][at++];
  }
  return slice;
}

}  // namespace trestle::io
