// BlockSolver: solves for several coupled fields by GMRES with field split.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "solver/linear_solver.hpp"
#include "solver/matrix/block_matrix.hpp"
#include "solver/matrix/block_system.hpp"

namespace trestle::solver {

/// The square matrix of a field with what multigrid may know of it.
struct FieldMatrix {
  std::shared_ptr<const BlockMatrix<double>> matrix;
  MatrixTraits traits;
};
/// A_ij.
struct FieldCoupling {
  int i, j;
  std::shared_ptr<const Coupling> coupling;
};

class BlockSolver {
 public:
  /// Of the options it takes tolerances, iterations, restart and the preconditioner of each field
  /// (multigrid where nothing is said). Throws as LinearSolver. Collective.
  BlockSolver(const SolverOptions& options, std::vector<FieldMatrix> fields,
              const std::vector<FieldCoupling>& couplings);
  ~BlockSolver();

  /// The values of the matrix of a field have changed in place. Collective.
  void update(int field);
  /// How often the preconditioner of a field was made from the values that its matrix had, other
  /// than by an update that keeps something of it; the same on all ranks.
  std::int64_t n_set_ups(int field) const;
  /// As BlockOperator: b, and with it the residual that is judged, has rows with these scales.
  void set_row_scales(std::vector<double> scales);
  /// Solves A x = b to ||b - A x|| <= tolerance ||b||, computed anew at the end, from x = 0; ghosts
  /// of x are up to date then. Collective.
  SolveResult solve(double tolerance, const Vector<double>& b, Vector<double>& x,
                    const IterationObserver& observer = {});

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trestle::solver
