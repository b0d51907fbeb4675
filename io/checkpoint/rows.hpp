// From the slices of a table that shards hold to the rows that ranks hold.
#pragma once

#include <span>
#include <vector>

#include "io/results/layout.hpp"
#include "solver/state_visitor.hpp"

namespace trestle::io {

/// Brings rows in the order of ids, a slice a rank, to the ranks that hold them: the inverse of
/// ToSlices, to the holders of copies too.
class FromSlices {
 public:
  /// Throws Error(70) on all ranks for ids outside 0 .. n-1. Collective.
  FromSlices(const Comm& comm, GlobalIndex n, std::span<const GlobalIndex> ids);
  Share share() const { return slices_.of(comm_.rank()); }
  /// slice [row of this rank's slice, width] -> [held row, width]. Collective.
  std::vector<double> move(std::span<const double> slice, std::size_t width) const;

 private:
  Comm comm_;
  Slices slices_;
  std::vector<std::vector<Index>> wanted_;  // by rank: held rows that come from there
  std::vector<std::vector<Index>> asked_;   // by rank: rows of the slice that it wants, its order
  std::size_t n_held_;
};

/// The owned rows of a table by themselves.
struct OwnedRows {
  std::vector<Index> rows;       // [owned row]: which held row
  std::vector<GlobalIndex> ids;  // [owned row]
};
OwnedRows owned_rows(const solver::StateRows& rows);

/// The rows of vectors on the nodes of `map`.
solver::StateRows node_rows(const IndexMap& map);

}  // namespace trestle::io
