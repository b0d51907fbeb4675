// Which couplings of a matrix are strong, and aggregates of strongly coupled nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/multigrid/block_rows.hpp"

namespace trestle::solver {

/// 1 for each entry off the diagonal with |A_ij|^2 > threshold^2 |A_ii| |A_jj|, in Frobenius norms
/// [Vanek, Mandel, Brezina 1996, Computing 56:179-196, eq. 4.1]; 0 for the others. The entries are
/// those of the pattern. Collective.
std::vector<std::uint8_t> strong_entries(const BlockRowsOnHost& a, const IndexMap& map,
                                         double threshold);

struct Aggregates {
  Index n = 0;
  std::vector<Index> of;  // [owned node] its aggregate, or -1 where nothing couples strongly to it
};

/// Each aggregate is a node with the nodes around it, by strong couplings between owned nodes; what
/// is left over joins the neighbour it couples to most [Vanek et al. 1996, algorithm 5.1].
Aggregates aggregate(const BlockRowsOnHost& a, const std::vector<std::uint8_t>& strong);

}  // namespace trestle::solver
