// A model problem that is measured: its mesh, analysis and matrix.
#pragma once

#include <memory>
#include <string>

#include "app/bench/items.hpp"
#include "io/case/case.hpp"
#include "physics/analysis.hpp"

namespace trestle::app {

struct BenchProblem {
  std::string name;
  io::MeshOptions mesh;
  std::shared_ptr<const physics::Analysis> analysis;
  std::shared_ptr<const solver::BlockMatrix<double>> matrix;

  GlobalIndex n_unknowns() const { return analysis->n_dofs(); }
};

/// From the mesh to the matrix. Collective.
BenchItems assembly_items(const BenchProblem& problem);
/// Products with the matrix in each format and precision. Collective.
BenchItems product_items(const BenchProblem& problem);
/// The cycle of multigrid and its set-up, in float. Collective.
BenchItems multigrid_items(const BenchProblem& problem);

}  // namespace trestle::app
