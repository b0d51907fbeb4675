// Entries of a matrix on one CPU thread: the diagonal, the lower half from the upper one, cells.
#include <algorithm>
#include <vector>

#include "fem/column_search.hpp"
#include "fem/operators/cell_lanes.hpp"
#include "gpu/fetch.hpp"

namespace trestle::fem {
namespace {

template <int n>
void mirror(const MatrixView& matrix) {
  const Offset n_rows = matrix.n_owned;
  const Offset* ends = matrix.owned_offsets.data() + 1;
  const Index* columns = matrix.columns.data();
  double* values = matrix.values.data();
  // Row after row, what is beyond the diagonal fills the rows of its columns from the left.
  std::vector<Offset> next(matrix.owned_offsets.data(), matrix.owned_offsets.data() + n_rows);
  const auto fetch = [&](Offset row) {
    for (Offset e = next[static_cast<std::size_t>(row)] + 1; e < ends[row]; ++e) {
      const double* lower = values + next[static_cast<std::size_t>(columns[e])] * n * n;
      TRESTLE_FETCH(values + e * n * n);
      TRESTLE_FETCH(lower);
      TRESTLE_FETCH(lower + n * n - 1);
    }
  };
  for (Offset row = 0; row < n_rows; ++row) {
    fetch(std::min(row + 4, n_rows - 1));
    for (Offset e = next[static_cast<std::size_t>(row)] + 1; e < ends[row]; ++e) {
      const double* upper = values + e * n * n;
      double* lower = values + next[static_cast<std::size_t>(columns[e])]++ * n * n;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) lower[j * n + i] = upper[i * n + j];
    }
  }
}

}  // namespace

std::vector<Offset> diagonal_entries(const MatrixView& matrix) {
  std::vector<Offset> entries(static_cast<std::size_t>(matrix.n_owned));
  for (Index row = 0; row < matrix.n_owned; ++row)
    entries[static_cast<std::size_t>(row)] = find_entry(matrix, row, row);
  return entries;
}

void mirror_upper(const MatrixView& matrix, int width) {
  switch (width) {
    case 1:
      return mirror<1>(matrix);
    case 2:
      return mirror<2>(matrix);
    default:
      return mirror<3>(matrix);
  }
}

void add_cell_matrix(const MatrixView& matrix, gpu::View<const Index, 2> nodes, Offset cell,
                     const double* K, int width) {
  const Offset n_nodes = nodes.extent(1);
  for (Offset a = 0; a < n_nodes; ++a) {
    const Index row = nodes(cell, a);
    if (row >= matrix.n_owned) continue;
    for (Offset b = 0; b < n_nodes; ++b) {
      double* entry = matrix.values.data() + find_entry(matrix, row, nodes(cell, b)) * width;
      const double* block = K + (a * n_nodes + b) * width;
      for (int k = 0; k < width; ++k) entry[k] += block[k];
    }
  }
}

}  // namespace trestle::fem
