#include <algorithm>

#include "app/bench/problem.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/multigrid/multigrid.hpp"

namespace trestle::app {
namespace {

using NearNull = std::vector<std::vector<double>>;  // as solver::MatrixTraits has it

/// A cycle in float: x = M^-1 b.
struct Cycle {
  Cycle(const BenchProblem& problem, const NearNull& near_null)
      : matrix(problem.matrix),
        before(matrix->device().account().total().bytes),
        multigrid(*matrix, near_null),
        held(static_cast<double>(matrix->device().account().total().bytes - before)),
        b(matrix->device(), matrix->pattern().map, matrix->block(), "bench"),
        x(matrix->device(), matrix->pattern().map, matrix->block(), "bench") {
    gpu::fill(matrix->device(), b.view(), 1.0);
  }

  std::shared_ptr<const solver::BlockMatrix<double>> matrix;
  std::size_t before;
  solver::Multigrid<float> multigrid;
  double held;  // bytes of the hierarchy on this rank
  solver::Vector<float> b, x;
};

/// Bytes of a matrix of a level in block CSR, float.
double matrix_bytes(const solver::MultigridLevel& level, int block) {
  const auto values = static_cast<double>(level.entries);
  return sizeof(float) * values + 4 * values / (block * block) +
         4 * static_cast<double>(level.unknowns) / block;
}

struct CycleBytes {
  double model = 0;
  double counted = 0;
};

/// Of one cycle on all ranks; `held` is the memory of the hierarchy.
CycleBytes cycle_bytes(const std::vector<solver::MultigridLevel>& levels, int block,
                       int coarse_block, double held) {
  CycleBytes bytes{.counted = held};
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const int b = l == 0 ? block : coarse_block;
    const auto n = static_cast<double>(levels[l].unknowns);
    // Four products, each with two vectors; four steps with 24 bytes more; 16 of transfers.
    bytes.model += 4 * (matrix_bytes(levels[l], b) + 8 * n) + (4 * 24 + 16) * n;
    // `held` has each matrix once, five vectors (two on the first level are the caller's) and the
    // inverses of diagonal blocks. A cycle reads the matrix four times, 25 vectors, the inverses
    // four times.
    if (l + 1 < levels.size())
      bytes.counted += 3 * matrix_bytes(levels[l], b) + sizeof(float) * (20 + 3 * b) * n;
  }
  bytes.counted += 2 * sizeof(float) * static_cast<double>(levels.front().unknowns);
  return bytes;
}

}  // namespace

BenchItems multigrid_items(const BenchProblem& problem) {
  const Comm& comm = problem.analysis->mesh().comm();
  const NearNull near_null = problem.analysis->matrix_traits().near_null;
  const auto cycle = std::make_shared<Cycle>(problem, near_null);
  const int block = problem.matrix->block();
  const CycleBytes bytes =
      cycle_bytes(cycle->multigrid.hierarchy().levels(), block,
                  std::max(block, static_cast<int>(near_null.size())), comm.sum(cycle->held));
  const auto values = static_cast<double>(problem.matrix->values().size());
  const double passes = 25 * (8 + 4.0 / (block * block)) * values;
  return {{.name = problem.name + "_amg_setup",
           .unit = "unknowns",
           .n = problem.n_unknowns(),
           .formula = "25 (8 values + 4 columns)",
           .model_bytes = passes,
           .run = [problem, near_null] { solver::Multigrid<float>(*problem.matrix, near_null); }},
          {.name = problem.name + "_cycle_float",
           .unit = "unknowns",
           .n = problem.n_unknowns(),
           .formula = "levels: 4 (4 values + 4 columns + 4 rows + 8 n) + 112 n",
           .model_bytes = bytes.model / comm.size(),
           .counted_bytes = bytes.counted / comm.size(),
           .run = [cycle] { cycle->multigrid.apply(cycle->b, 1.0, cycle->x); }}};
}

}  // namespace trestle::app
