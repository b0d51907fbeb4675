// One call that solves a model by LinearSolver on any device, ranks and precision.
#pragma once

#include "solver/linear_solver.hpp"
#include "tests/solver/model_matrices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {

struct Solved {
  solver::SolveResult result;
  std::vector<double> x;  // whole, canonical order
};

/// A x = b from `guess` (zero when empty), all vectors whole on every rank. Collective on `comm`.
Solved solve(const gpu::Device& device, const Model& model, const solver::SolverOptions& options,
             const std::vector<double>& b, std::vector<double> guess = {},
             solver::MatrixTraits traits = {}, const Comm& comm = world());

solver::SolverOptions options_for(
    solver::Method method,
    solver::Preconditioner preconditioner = solver::Preconditioner::automatic,
    solver::Precision precision = solver::Precision::double_, double tolerance = 1e-10);

/// Every method and preconditioner in double.
std::vector<solver::SolverOptions> all_in_double();
/// Those of `all_in_double`, the own ones in mixed precision, and in single with tolerance 1e-5.
std::vector<solver::SolverOptions> all_options();

/// For SCOPED_TRACE.
std::string name_of(const solver::SolverOptions& options);

}  // namespace trestle::test
