#include "app/solve_cases.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "app/evaluate.hpp"
#include "app/measure.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/linear_solver.hpp"
#include "solver/matrix/matrix_operator.hpp"

namespace trestle::app {
namespace {

template <class Real>
std::shared_ptr<const solver::BlockMatrix<Real>> assemble(const physics::Analysis& analysis) {
  solver::BlockMatrix<double> matrix = analysis.matrix();
  if constexpr (std::is_same_v<Real, double>) {
    return std::make_shared<const solver::BlockMatrix<double>>(std::move(matrix));
  } else {
    auto rounded = std::make_shared<solver::BlockMatrix<Real>>(
        matrix.device(), matrix.shared_pattern(), matrix.block());
    gpu::copy(matrix.device(), std::as_const(matrix).values().view(), rounded->values().view());
    matrix.device().synchronize();
    return rounded;
  }
}

/// Sets the solver up; mistakes in options of PETSc get their place in the case.
template <class Real>
std::unique_ptr<solver::LinearSolver<Real>> make_linear_solver(
    const io::Case& c, const physics::Analysis& analysis,
    const std::shared_ptr<const solver::BlockMatrix<Real>>& matrix) {
  try {
    return std::make_unique<solver::LinearSolver<Real>>(c.solver, matrix, analysis.matrix_traits());
  } catch (const Error& e) {
    if (e.code() != ExitCode::case_file) throw;
    throw Error(e.code(), to_string(c.petsc_options) + ": " + e.what());
  }
}

/// GB/s of matrix-vector products of all ranks: the matrix once, both vectors once.
template <class Real>
double measure_product(const std::shared_ptr<const solver::BlockMatrix<Real>>& matrix) {
  const Comm& comm = matrix->pattern().map->comm();
  const solver::MatrixOperator<Real> product(matrix);
  solver::Vector<Real> x(matrix->device(), matrix->pattern().map, matrix->block());
  solver::Vector<Real> y(matrix->device(), matrix->pattern().map, matrix->block());
  gpu::fill(matrix->device(), x.view(), 1.0);
  product.apply(x, y);
  comm.barrier();
  constexpr int n_products = 3;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < n_products; ++i) product.apply(x, y);
  matrix->device().synchronize();
  const double seconds =
      comm.max(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  const auto entries = static_cast<double>(matrix->pattern().n_entries());
  const double bytes = static_cast<double>(matrix->values().bytes()) + entries * sizeof(Index) +
                       static_cast<double>(matrix->pattern().map->n_owned()) * sizeof(Offset) +
                       2.0 * static_cast<double>(x.values().bytes());
  return comm.sum(bytes) * n_products / seconds * 1e-9;
}

[[noreturn]] void fail(const solver::SolveResult& result, const std::string& name) {
  const bool nan = result.reason == solver::Reason::not_a_number;
  throw NumericalError(
      nan ? ExitCode::not_a_number : ExitCode::diverged,
      fmt::format("{}not converged: {} after {} iterations of {} with {}, true relative residual "
                  "{:.3g}; {}",
                  name.empty() ? "" : fmt::format("load case {}: ", name),
                  solver::to_string(result.reason), result.iterations, result.method,
                  result.preconditioner, result.true_relative_residual,
                  result.message.empty() ? "take solver: {method: direct}, or more iterations"
                                         : result.message));
}

/// A singular matrix has many solutions; none of them is the answer.
[[noreturn]] void refuse_singular(const solver::SolveResult& result) {
  throw NumericalError(
      ExitCode::diverged,
      fmt::format(
          "the matrix is singular: {} zero pivot{}, so the solution is one of many; some part of "
          "the model can still move, as two parts that share a single node turn about it; "
          "add supports there, or join the parts by facets",
          result.zero_pivots, result.zero_pivots == 1 ? "" : "s"));
}

/// What a solve is called: its load case, and where there are several fields, its field.
std::string solve_name(const io::Case& c, const physics::Analysis& analysis, std::size_t k) {
  const std::string& load_case = analysis.case_name(k);
  if (analysis.problem().physics == c.problem.physics) return load_case;
  const std::string& field = analysis.description().field;
  return load_case.empty() ? field : fmt::format("{} of {}", field, load_case);
}

std::string no_load_warning(const std::string& name) {
  return fmt::format(
      "{} has no load: the right side is zero, and so is the solution; give a load, or a "
      "prescribed "
      "value other than 0",
      name.empty() ? "the model" : fmt::format("load case {}", name));
}

std::string solve_line(const solver::SolveResult& result, const std::string& name) {
  return fmt::format("solve{}: {} iterations of {} with {} in {}, true relative residual {:.2e}",
                     name.empty() ? "" : " " + name, result.iterations, result.method,
                     result.preconditioner, result.precision, result.true_relative_residual);
}

solver::Vector<double> right_side(const physics::Analysis& analysis, std::size_t c,
                                  Timers& timers) {
  const auto scope = timers.time("assemble");
  solver::Vector<double> b = analysis.right_side(c);
  b.device().synchronize();
  return b;
}

template <class Real>
std::vector<physics::State> solve_in(const io::Case& c, const physics::Analysis& analysis,
                                     RunControl& control, Timers& timers, Console& console,
                                     io::Report& report) {
  std::shared_ptr<const solver::BlockMatrix<Real>> matrix;
  {
    const auto scope = timers.time("assemble");
    matrix = assemble<Real>(analysis);
  }
  std::unique_ptr<solver::LinearSolver<Real>> linear_solver;
  {
    control.stop().check();
    const auto scope = timers.time("setup");
    linear_solver = make_linear_solver<Real>(c, analysis, matrix);
  }
  std::vector<physics::State> states;
  for (std::size_t k = 0; k < analysis.n_cases(); ++k) {
    const std::string name = solve_name(c, analysis, k);
    solver::Vector<double> b = right_side(analysis, k, timers);
    solver::Vector<double> v(b.device(), b.shared_map(), b.block(), "solution");
    gpu::fill(v.device(), v.view(), 0.0);
    control.stop().check();
    console.start_solve();
    solver::SolveResult result = linear_solver->solve(b, v, [&](int number, double residual) {
      console.iteration(number, residual, c.solver.tolerance);
      control.stop().check_in_solve();
    });
    timers.add("solve", result.solve_s);
    if (!result.choice.empty() && k == 0) console.line("solver: auto took " + result.choice);
    console.line(solve_line(result, name));
    if (result.converged && !result.message.empty()) warn({result.message}, console, report);
    if (result.reason == solver::Reason::zero_right_side)
      warn({no_load_warning(analysis.case_name(k))}, console, report);
    report.solves.push_back(result);
    report.solve_names.push_back(name);
    if (!result.converged) fail(result, name);
    if (result.zero_pivots > 0) refuse_singular(result);
    const auto scope = timers.time("output");
    states.push_back(physics::make_state(analysis, k, analysis.expand(v), asks_reactions(c)));
  }
  report.spmv_gb_s = measure_product<Real>(matrix);
  return states;
}

}  // namespace

std::vector<physics::State> solve_cases(const io::Case& c, const physics::Analysis& analysis,
                                        RunControl& control, Timers& timers, Console& console,
                                        io::Report& report) {
  if (c.solver.precision == solver::Precision::single)
    return solve_in<float>(c, analysis, control, timers, console, report);
  return solve_in<double>(c, analysis, control, timers, console, report);
}

void set_up_solver(const io::Case& c, const physics::Analysis& analysis) {
  make_linear_solver<double>(c, analysis, assemble<double>(analysis));
}

}  // namespace trestle::app
