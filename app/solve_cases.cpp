#include "app/solve_cases.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/evaluate.hpp"
#include "app/measure.hpp"
#include "app/state/run_control.hpp"
#include "core/stopwatch.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"
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
    const io::Case& c, const solver::SolverOptions& options, const physics::Analysis& analysis,
    const std::shared_ptr<const solver::BlockMatrix<Real>>& matrix) {
  try {
    return std::make_unique<solver::LinearSolver<Real>>(options, matrix, analysis.matrix_traits());
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
  const Stopwatch watch;
  for (int i = 0; i < n_products; ++i) product.apply(x, y);
  matrix->device().synchronize();
  const double seconds = comm.max(watch.seconds());
  const auto entries = static_cast<double>(matrix->pattern().n_entries());
  const double bytes = static_cast<double>(matrix->values().bytes()) + entries * sizeof(Index) +
                       static_cast<double>(matrix->pattern().map->n_owned()) * sizeof(Offset) +
                       2.0 * static_cast<double>(x.values().bytes());
  return comm.sum(bytes) * n_products / seconds * 1e-9;
}

[[noreturn]] void fail(const io::Case& c, const solver::SolveResult& result,
                       const std::string& name) {
  const bool nan = result.reason == solver::Reason::not_a_number;
  const std::string what =
      fmt::format("{}not converged: {}", name.empty() ? "" : fmt::format("load case {}: ", name),
                  result.message);
  const bool limited = result.reason == solver::Reason::max_iterations;
  throw NumericalError(nan ? ExitCode::not_a_number : ExitCode::diverged,
                       with_place(limited ? c.max_iterations : SourcePosition{}, what));
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

std::string no_load_warning(const io::Case& c, const physics::Analysis& analysis, std::size_t k) {
  const std::string name = solve_name(c, analysis, k);
  const std::string what = name.empty()                    ? "the model"
                           : name == analysis.case_name(k) ? "load case " + name
                                                           : "the field " + name;
  return what +
         " has no load: the right side is zero, and so is the solution; give a load, or a "
         "prescribed value other than 0";
}

/// Whether loads, those that supports take at once among them, and prescribed values of a load case
/// are all zero. Collective.
bool has_no_load(const physics::Analysis& analysis, std::size_t k, bool zero_right_side) {
  return zero_right_side && analysis.mesh().comm().all(analysis.constraints().all_zero()) &&
         solver::norm(analysis.residual(k, analysis.constraints().prescribed())) == 0;
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

/// The load cases of an analysis on one matrix, which is made with the first of them.
template <class Real>
class CaseSolver {
 public:
  CaseSolver(const MarchParts& parts, solver::SolverOptions options)
      : parts_(parts), options_(std::move(options)) {}

  /// The state of load case `k`; nothing where `auto` finds that single precision does not do.
  std::optional<physics::State> solve(std::size_t k) {
    if (!solver_) set_up();
    const std::string name = solve_name(parts_.c, parts_.analysis, k);
    solver::Vector<double> b = right_side(parts_.analysis, k, parts_.timers);
    solver::Vector<double> v(b.device(), b.shared_map(), b.block(), "solution");
    gpu::fill(v.device(), v.view(), 0.0);
    parts_.control.stop().check();
    parts_.console.start_solve();
    const auto observe = [&](int number, double residual) {
      parts_.console.iteration(number, residual, parts_.c.solver.tolerance);
      parts_.control.stop().check_in_solve();
    };
    const solver::SolveResult result = solver_->solve(b, v, observe, exact_residual(k));
    if (gives_up(result)) return std::nullopt;
    record(result, name, k);
    const auto scope = parts_.timers.time("output");
    return physics::make_state(parts_.analysis, k, parts_.analysis.expand(v),
                               asks_reactions(parts_.c));
  }

  /// Where anything was solved.
  void measure() const {
    if (matrix_) parts_.report.spmv_gb_s = measure_product<Real>(matrix_);
  }

 private:
  void set_up() {
    {
      const auto scope = parts_.timers.time("assemble");
      matrix_ = assemble<Real>(parts_.analysis);
    }
    parts_.control.stop().check();
    const auto scope = parts_.timers.time("setup");
    solver_ = make_linear_solver<Real>(parts_.c, options_, parts_.analysis, matrix_);
  }

  bool gives_up(const solver::SolveResult& result) {
    if (std::is_same_v<Real, double> || options_.method != solver::Method::automatic ||
        result.converged || result.reason == solver::Reason::not_a_number)
      return false;
    parts_.timers.add("solve", result.solve_s);
    warn({fmt::format("precision single does not do for this model ({} after {} iterations, "
                      "relative residual {:.1e}); solved in mixed instead",
                      solver::to_string(result.reason), result.iterations,
                      result.true_relative_residual)},
         parts_.console, parts_.report);
    return true;
  }

  /// The residual of the cells: a matrix has lost what its entries cancel to where conductivities
  /// or stiffnesses differ by orders of magnitude.
  solver::ExactResidual exact_residual(std::size_t k) const {
    return [&analysis = parts_.analysis, k](const solver::Vector<double>& b,
                                            solver::Vector<double>& v, solver::Vector<double>& r) {
      solver::Vector<double> left = analysis.residual(k, analysis.expand(v));
      analysis.constraints().apply(left);
      gpu::copy(b.device(), std::as_const(left).owned(), r.owned());
    };
  }

  void record(const solver::SolveResult& result, const std::string& name, std::size_t k) {
    Console& console = parts_.console;
    io::Report& report = parts_.report;
    parts_.timers.add("solve", result.solve_s);
    if (!result.choice.empty() && k == 0) console.line("solver: auto took " + result.choice);
    console.line(solve_line(result, name));
    if (result.converged && !result.message.empty()) warn({result.message}, console, report);
    if (has_no_load(parts_.analysis, k, result.reason == solver::Reason::zero_right_side))
      warn({no_load_warning(parts_.c, parts_.analysis, k)}, console, report);
    report.solves.push_back(result);
    report.solve_names.push_back(name);
    if (!result.converged) fail(parts_.c, result, name);
    if (result.zero_pivots > 0) refuse_singular(result);
  }

  const MarchParts& parts_;
  solver::SolverOptions options_;
  std::shared_ptr<const solver::BlockMatrix<Real>> matrix_;
  std::unique_ptr<solver::LinearSolver<Real>> solver_;
};

}  // namespace

void solve_cases(const MarchParts& parts, const AroundCase& around,
                 std::vector<physics::State>& states) {
  solver::SolverOptions options = solver_options(parts);
  std::optional<CaseSolver<float>> in_single;
  std::optional<CaseSolver<double>> in_double;
  const auto solve = [&](std::size_t k) {
    if (options.precision == solver::Precision::single) {
      if (!in_single) in_single.emplace(parts, options);
      if (std::optional<physics::State> state = in_single->solve(k)) return std::move(*state);
      in_single.reset();
      options.precision = solver::Precision::mixed;
    }
    if (!in_double) in_double.emplace(parts, options);
    return *in_double->solve(k);
  };
  while (states.size() < parts.analysis.n_cases())
    around([&] { states.push_back(solve(states.size())); });
  if (in_single) in_single->measure();
  if (in_double) in_double->measure();
}

std::vector<std::string> no_load_warnings(const io::Case& c, const physics::Analysis& analysis) {
  // The temperatures of a solid are a load that is not known yet.
  const physics::Analysis& field = analysis.heat() != nullptr ? *analysis.heat() : analysis;
  std::vector<std::string> warnings;
  if (c.problem.analysis.type != physics::AnalysisType::static_ || !field.linear()) return warnings;
  for (std::size_t k = 0; k < field.n_cases(); ++k)
    if (has_no_load(field, k, solver::norm(field.right_side(k)) == 0))
      warnings.push_back(no_load_warning(c, field, k));
  return warnings;
}

void set_up_solver(const io::Case& c, const physics::Analysis& analysis) {
  make_linear_solver<double>(c, c.solver, analysis, assemble<double>(analysis));
}

}  // namespace trestle::app
