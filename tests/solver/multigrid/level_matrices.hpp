// Models as the set-up of multigrid sees them, and what its results are compared with.
#pragma once

#include "solver/multigrid/block_rows.hpp"
#include "tests/solver/model_matrices.hpp"

namespace trestle::test {

/// The rows of this rank. Collective.
solver::LevelMatrix level_matrix(const Comm& comm, const Model& model);

/// Rows of all ranks as one dense matrix [n_rows, n_columns] of scalars, on every rank; `columns`
/// says which global column stands where. Collective.
struct Dense {
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  std::vector<double> values;
  double operator()(std::size_t i, std::size_t j) const { return values[i * n_columns + j]; }
};
Dense dense_of(const Comm& comm, const solver::BlockRowsOnHost& rows, const IndexMap& columns);

Dense multiply(const Dense& a, const Dense& b);
Dense transpose(const Dense& a);
double largest_difference(const Dense& a, const Dense& b);

}  // namespace trestle::test
