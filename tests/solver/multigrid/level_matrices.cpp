#include "tests/solver/multigrid/level_matrices.hpp"

#include <algorithm>
#include <cmath>

namespace trestle::test {

solver::LevelMatrix level_matrix(const Comm& comm, const Model& model) {
  const auto matrix = make_matrix<double>(gpu::make_cpu_device(), comm, model);
  return {matrix->shared_pattern(), matrix->block(), gpu::download(matrix->values())};
}

Dense dense_of(const Comm& comm, const solver::BlockRowsOnHost& rows, const IndexMap& columns) {
  const auto m = static_cast<std::size_t>(rows.row_block);
  const auto n = static_cast<std::size_t>(rows.column_block);
  const GlobalIndex first = comm.exclusive_sum(rows.n_rows());
  Dense dense;
  dense.n_rows = static_cast<std::size_t>(comm.sum(static_cast<GlobalIndex>(rows.n_rows()))) * m;
  dense.n_columns = static_cast<std::size_t>(columns.n_global()) * n;
  dense.values.assign(dense.n_rows * dense.n_columns, 0.0);
  for (Index row = 0; row < rows.n_rows(); ++row)
    rows.visit_row(row, [&](Offset e, Index column) {
      const auto i0 = static_cast<std::size_t>(first + row) * m;
      const auto j0 =
          static_cast<std::size_t>(columns.rows()[static_cast<std::size_t>(column)]) * n;
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j)
          dense.values[(i0 + i) * dense.n_columns + j0 + j] = rows.block(e)[i * n + j];
    });
  comm.sum(std::span<double>(dense.values));
  return dense;
}

Dense multiply(const Dense& a, const Dense& b) {
  Dense c{a.n_rows, b.n_columns, std::vector<double>(a.n_rows * b.n_columns, 0.0)};
  for (std::size_t i = 0; i < a.n_rows; ++i)
    for (std::size_t k = 0; k < a.n_columns; ++k)
      for (std::size_t j = 0; j < b.n_columns; ++j)
        c.values[i * c.n_columns + j] += a(i, k) * b(k, j);
  return c;
}

Dense transpose(const Dense& a) {
  Dense t{a.n_columns, a.n_rows, std::vector<double>(a.values.size())};
  for (std::size_t i = 0; i < a.n_rows; ++i)
    for (std::size_t j = 0; j < a.n_columns; ++j) t.values[j * t.n_columns + i] = a(i, j);
  return t;
}

double largest_difference(const Dense& a, const Dense& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    largest = std::max(largest, std::abs(a.values[i] - b.values[i]));
  return largest;
}

}  // namespace trestle::test
