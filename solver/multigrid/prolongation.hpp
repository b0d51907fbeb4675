// The prolongator of smoothed aggregation: from near-null vectors on aggregates, then smoothed.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/multigrid/aggregation.hpp"

namespace trestle::solver {

/// Vectors that a level must represent: [owned node, block, n].
struct NearNull {
  int n = 0;  // vectors: 1, 2, 3 or 6, at least as many as a block has rows
  std::vector<double> values;
};

/// Vectors [owned node, block] side by side, constants of each component where there are none;
/// those that are missing up to the next block size that a matrix may have are zero. Throws Error
/// (70) for more than 6.
NearNull make_near_null(const std::vector<std::vector<double>>& vectors, int block, Index n_owned);

/// The near-null vectors cut up by aggregates and made orthonormal on each: exact for them with the
/// coarse vectors that go with it. Both hold zeros where vectors depend on each other on an
/// aggregate [Vanek, Mandel, Brezina 1996, sec. 4].
struct Tentative {
  std::vector<double> values;  // [owned node, block, n]
  NearNull coarse;             // [aggregate, n, n]
};
Tentative make_tentative(const Aggregates& aggregates, const NearNull& near_null, int block);

/// P = (I - omega D^-1 A') T with A' the matrix of the strong entries, the weak ones added to the
/// diagonal D block [Vanek et al. 1996, eq. 3.2]. A row for each owned node, its coarse columns
/// numbered by `numbers`. Collective.
BlockRowsStore smooth_prolongator(const BlockRowsOnHost& a, const IndexMap& map,
                                  const std::vector<std::uint8_t>& strong,
                                  const Aggregates& aggregates, const Tentative& tentative,
                                  double omega, LocalNumbers& numbers);

}  // namespace trestle::solver
