#include <vector>

#include "app/bench/problem.hpp"

namespace trestle::app {
namespace {

/// Sums over the cells of this rank, ghosts included.
struct Cells {
  double n = 0;
  double nodes = 0;  // of each
  double pairs = 0;  // of nodes of each
};

Cells cells_of(const mesh::Mesh& mesh) {
  Cells cells;
  for (const mesh::CellBlock& block : mesh.cells) {
    const double n = block.n_cells(), nodes = mesh::traits(block.type).n_nodes;
    cells.n += n;
    cells.nodes += n * nodes;
    cells.pairs += n * nodes * nodes;
  }
  return cells;
}

/// A matrix in the making.
struct Stiffness {
  explicit Stiffness(const BenchProblem& problem)
      : analysis(problem.analysis),
        layout(fem::make_matrix_layout(analysis->discretisation())),
        matrix(analysis->discretisation().device(), layout.pattern, analysis->n_components()) {}

  std::shared_ptr<const physics::Analysis> analysis;
  fem::MatrixLayout layout;
  solver::BlockMatrix<double> matrix;
};

}  // namespace

BenchItems assembly_items(const BenchProblem& problem) {
  const mesh::Mesh& mesh = problem.analysis->mesh();
  std::shared_ptr<Stiffness> stiffness;
  mesh.comm().agree([&] { stiffness = std::make_shared<Stiffness>(problem); });
  const Cells cells = cells_of(mesh);
  const auto values = static_cast<double>(problem.matrix->values().size());
  const auto columns = static_cast<double>(problem.matrix->pattern().n_entries());
  const auto nodes = static_cast<double>(mesh.nodes->n_local());
  const auto rows = static_cast<double>(mesh.nodes->n_owned());
  const double model = 4 * cells.nodes + 4 * cells.pairs + 24 * nodes + 16 * values;
  double map = stiffness->layout.places.empty() ? 4 * columns + 8 * rows : 0;
  for (const auto& places : stiffness->layout.places) map += static_cast<double>(places.bytes());
  BenchItem item{.name = problem.name + "_stiffness",
                 .unit = "cells",
                 .n = mesh.n_cells_global,
                 .formula = "4 cell nodes + 4 pairs of cell nodes + 24 nodes + 16 values",
                 .model_bytes = model,
                 // Nodes and material of each cell, its map or else the columns and diagonal of
                 // each row, the begin of each row.
                 .counted_bytes = 4 * cells.nodes + 4 * cells.n + map + 24 * nodes +
                                  (mesh.nodes->n_ghosts() > 0 ? 16 : 8) * rows + 16 * values,
                 .run = [stiffness] {
                   stiffness->analysis->cells().add_stiffness(
                       stiffness->layout, stiffness->analysis->constraints().prescribed(), {},
                       stiffness->matrix);
                 }};
  BenchItem whole{.name = problem.name + "_matrix",
                  .unit = "cells",
                  .n = mesh.n_cells_global,
                  .formula = item.formula + " + 4 columns + 4 pairs of cell nodes + 8 values",
                  .model_bytes = model + 4 * columns + 4 * cells.pairs + 8 * values,
                  .run = [analysis = problem.analysis] { analysis->matrix(); }};
  return {std::move(item), std::move(whole)};
}

}  // namespace trestle::app
