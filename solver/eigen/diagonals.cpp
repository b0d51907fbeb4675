#include "solver/eigen/diagonals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "solver/matrix/vector_kernels.hpp"

namespace trestle::solver {
namespace {

void refuse_not_finite(const BlockMatrix<double>& matrix, const char* name) {
  const bool bad = count_not_finite<double>(matrix.device(), matrix.values().view()) > 0;
  require(!matrix.pattern().map->comm().any(bad), ExitCode::not_a_number,
          fmt::format("eigenvalues: the {} matrix holds a value that is not finite: check the "
                      "materials and the cells",
                      name));
}

}  // namespace

Diagonals diagonals_of(const BlockMatrix<double>& K, const BlockMatrix<double>& M) {
  const Pattern& pattern = K.pattern();
  const auto k = gpu::read(K.values()), m = gpu::read(M.values());
  const int b = K.block();
  Diagonals result;
  result.stiffness.assign(
      static_cast<std::size_t>(pattern.map->n_owned()) * static_cast<std::size_t>(b), 0.0);
  for (Index row = 0; row < pattern.map->n_owned(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    const auto begin = pattern.columns.begin() + pattern.owned_offsets[i];
    const auto end = pattern.columns.begin() + pattern.owned_offsets[i + 1];
    const auto found = std::lower_bound(begin, end, row);
    if (found == end || *found != row) continue;
    const Offset entry = (found - pattern.columns.begin()) * b * b;
    for (int d = 0; d < b; ++d) {
      const Offset at = entry + d * (b + 1);
      if (!(m[at] > 0)) continue;
      const std::size_t unknown = i * static_cast<std::size_t>(b) + static_cast<std::size_t>(d);
      result.free.push_back(unknown);
      result.stiffness[unknown] = k[at];
      result.trace_k += k[at];
      result.trace_m += m[at];
    }
  }
  const Comm& comm = pattern.map->comm();
  const auto n_free = static_cast<GlobalIndex>(result.free.size());
  result.n_free = comm.sum(n_free);
  result.n_free_before = comm.exclusive_sum(n_free);
  result.trace_k = comm.sum(result.trace_k);
  result.trace_m = comm.sum(result.trace_m);
  return result;
}

void refuse_not_finite(const BlockMatrix<double>& K, const BlockMatrix<double>& M) {
  refuse_not_finite(K, "stiffness");
  refuse_not_finite(M, "mass");
}

}  // namespace trestle::solver
