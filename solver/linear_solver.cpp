#include "solver/linear_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/auto_choice.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/krylov/native_solver.hpp"
#include "solver/matrix/block_kernels.hpp"
#include "solver/matrix/vector_kernels.hpp"
#include "solver/petsc/solver.hpp"
#include "solver/true_residual.hpp"

namespace trestle::solver {
namespace {

/// Backward error of a solution that is as good as double precision allows: the rounding of the
/// residual itself, some tens of units for rows of some hundred entries.
constexpr double rounding_backward_error = 1e-14;
/// Relative residual up to which such a solution is taken although a smaller one was asked for. No
/// solver in double does better: x is exact for a matrix within rounding of this one, whose own
/// entries are known to a unit u = 1.1e-16 only, so that x is wrong by up to cond(A) u whatever is
/// done. How much that is, the residual tells. With rho = ||r|| / ||b|| and the backward error eta
/// =
/// ||r|| / || |A||x| + |b| || >= u / 2 (r itself is rounded), cond(A) = a rho / eta, where a =
/// ||A|| ||A^-1|| ||b|| / || |A||x| || is 8 for quad8 beams of 10 to 3000 to 1, the softest of what
/// engineers load. The error is then at most 2 a rho, some 16 rho; one per cent, as much as a mesh
/// costs, gives 6e-4 (docs/solvers.md).
constexpr double rounding_residual_limit = 5e-4;
/// How far exact residuals are followed: the most corrections, how far each is solved, and their
/// size relative to x that shows that x is right.
constexpr int most_exact_corrections = 20;
constexpr double exact_correction_tolerance = 1e-8;
constexpr double settled = 1e-4;
/// Ratio of the entries on the diagonal from which a residual tells little: beside a right side
/// that stiff rows make large, that of soft rows is nothing, whatever they hold.
constexpr double wide_contrast = 1e5;
/// Share of the tolerance that the recurrence must reach, so that the true residual passes too.
constexpr double margin = 0.9;
/// Iterations with multigrid without a new smallest residual that show that no more will come.
constexpr int multigrid_stagnation = 100;
/// Least gain of a correction that shows that more of them are worth while.
constexpr double least_gain = 0.5;

/// r /= norm, in two steps where 1 / norm would overflow.
void normalise(Vector<double>& r, double norm) {
  constexpr double lift = 0x1p500;
  if (norm < 0x1p-500) {
    gpu::scale(r.device(), lift, r.owned());
    norm *= lift;
  }
  gpu::scale(r.device(), 1 / norm, r.owned());
}

/// Throws Error (81) on all ranks when a value of the matrix is not finite.
template <class Real>
void refuse_not_finite(const BlockMatrix<Real>& matrix) {
  const IndexMap& map = *matrix.pattern().map;
  const bool bad = count_not_finite<Real>(matrix.device(), matrix.values().view()) > 0;
  if (!map.comm().any(bad)) return;
  map.comm().agree([&] {
    const auto values = gpu::read(matrix.values());
    const Pattern& pattern = matrix.pattern();
    const Offset size = static_cast<Offset>(matrix.block()) * matrix.block();
    for (const auto* offsets : {&pattern.owned_offsets, &pattern.ghost_offsets})
      for (std::size_t row = 0; row + 1 < offsets->size(); ++row)
        for (Offset i = (*offsets)[row] * size; i < (*offsets)[row + 1] * size; ++i)
          if (!std::isfinite(values[i]))
            throw NumericalError(
                ExitCode::not_a_number,
                fmt::format("the matrix holds {} in the row of node {}: check the material and the "
                            "cells there",
                            static_cast<double>(values[i]), map.ids()[row]));
  });
}

/// Collective.
template <class Real>
bool has_wide_contrast(const BlockMatrix<Real>& matrix) {
  const Comm& comm = matrix.pattern().map->comm();
  const double largest = comm.max(largest_diagonal_entry(matrix.device(), matrix.owned_rows()));
  const double inverse = comm.max(largest_inverse_entry(matrix.device(), matrix.owned_rows()));
  return largest * inverse > wide_contrast;
}

/// What may be behind not_positive_definite, and what to do.
std::string why_not_positive_definite(const Stage& stage) {
  const std::string matrix = "the matrix is not positive definite (look at supports and materials)";
  const bool is_plain =
      stage.kind == Stage::Kind::native && stage.preconditioner == Preconditioner::none;
  return is_plain
             ? matrix
             : matrix +
                   ", or rounding has made its preconditioner so, as where materials differ by "
                   "orders of magnitude: take method: auto, which goes on with others, or "
                   "direct";
}

/// "solver" for a person.
std::string label(const Stage& stage) {
  switch (stage.kind) {
    case Stage::Kind::native:
      return fmt::format("{} with {} in {}", to_string(stage.method),
                         stage.preconditioner == Preconditioner::amg         ? "amg"
                         : stage.preconditioner == Preconditioner::chebyshev ? "chebyshev"
                         : stage.preconditioner == Preconditioner::none      ? "no preconditioner"
                                                                             : "block Jacobi",
                         to_string(stage.precision));
    case Stage::Kind::gamg:
      return "petsc with gamg in double";
    case Stage::Kind::hypre:
      return "petsc with hypre in double";
    case Stage::Kind::ilu:
      return "petsc with ilu in double";
    case Stage::Kind::petsc:
      return "petsc";
    case Stage::Kind::direct:
      return "direct (mumps)";
  }
  return "";
}

bool is_success(Reason reason) {
  return reason == Reason::converged || reason == Reason::converged_backward ||
         reason == Reason::zero_right_side;
}

/// What to do about a solve that did not converge. `is_wide`: the contrast of the matrix is.
std::string remedy(const Stage& stage, Reason reason, bool is_wide) {
  switch (reason) {
    case Reason::max_iterations:
      return "raise solver.max_iterations, or take another method or preconditioner";
    case Reason::preconditioner_failed:
      return "take another preconditioner, or method: auto";
    case Reason::not_positive_definite:
      return why_not_positive_definite(stage);
    default:
      return is_wide ? "materials or sizes of cells differ by orders of magnitude, where rounding "
                       "can spoil a preconditioner: take method: auto, which goes on with others, "
                       "or direct"
                     : "check supports and materials, or take another method";
  }
}

}  // namespace

template <class Real>
struct LinearSolver<Real>::Implementation {
  static constexpr bool is_single = std::is_same_v<Real, float>;

  Implementation(const SolverOptions& solver_options,
                 std::shared_ptr<const BlockMatrix<Real>> system, MatrixTraits matrix_traits);

  SolveResult solve(const Vector<double>& b, Vector<double>& x, const IterationObserver& observer,
                    double target, const ExactResidual& exact);

  const Comm& comm() const { return matrix->pattern().map->comm(); }
  const Stage& stage() const { return stages[current]; }
  /// Sets up the current stage, or the first one after it that lets itself be set up.
  void set_up();
  void try_lighter();
  void update_matrix();
  void visit(StateVisitor& visitor);
  PetscTokens petsc_tokens() const;
  std::unique_ptr<InnerSolver> make_inner() const;
  /// Goes to the next stage that fits; false when none is left.
  bool next_stage(const std::string& failure);
  /// Runs the current stage and, where it fails, those after it; x holds the best of all.
  void run_stages(const Vector<double>& b, Vector<double>& x, double norm_b, SolveResult& result,
                  const IterationObserver& observer);
  /// Corrects x until its true residual passes or the current stage fails.
  Reason run_stage(const Vector<double>& b, Vector<double>& x, double norm_b, SolveResult& result,
                   const IterationObserver& observer);
  /// One correction d for the residual r; an error of the numbers inside becomes its reason.
  KrylovOutcome solve_inner(const KrylovTarget& target, const IterationObserver& observer,
                            SolveResult& result);
  void describe(SolveResult& result) const;
  double backward_error(const Vector<double>& b, const Vector<double>& x, double residual_norm);
  /// r = b - A x; brings the ghosts of x up to date.
  void compute_residual(const Vector<double>& b, Vector<double>& x);
  /// Whether a stagnated solve in double has come as far as rounding lets it.
  bool at_rounding(const Vector<double>& b, Vector<double>& x, double norm_b, SolveResult& result);
  /// Whether x is more than a small residual of a matrix of wide contrast: exact residuals correct
  /// it, and it is right where they settle.
  bool is_right(const Vector<double>& b, Vector<double>& x, double norm_b, SolveResult& result);
  /// Corrects x by exact residuals for as long as corrections shrink, whatever the residual does;
  /// returns the size of the last one relative to x.
  double settle(const Vector<double>& b, Vector<double>& x, SolveResult& result);

  SolverOptions options;
  double tolerance = 0;  // of the present solve
  std::shared_ptr<const BlockMatrix<Real>> matrix;
  MatrixTraits traits;
  TrueResidual<Real> residual;
  ExactResidual exact;  // of the present solve, where there is one
  std::vector<Stage> stages;
  std::size_t current = 0;
  std::int64_t n_set_ups = 0;
  bool indefinite = false;  // a method has met a direction of no or negative energy
  std::unique_ptr<InnerSolver> inner;
  std::unique_ptr<Vector<double>> r, d;
  std::string choice;
  double setup_s = 0;
};

template <class Real>
LinearSolver<Real>::Implementation::Implementation(const SolverOptions& solver_options,
                                                   std::shared_ptr<const BlockMatrix<Real>> system,
                                                   MatrixTraits matrix_traits)
    : options(solver_options),
      matrix(std::move(system)),
      traits(std::move(matrix_traits)),
      residual(matrix) {
  const IndexMap& map = *matrix->pattern().map;
  if (is_single != (options.precision == Precision::single))
    throw Error(ExitCode::bug, "LinearSolver: precision single goes with a matrix in float only");
  stages = stages_for(
      options, {traits.symmetric, traits.positive_definite, traits.dim,
                map.n_global() * matrix->block(), matrix->device().kind() != gpu::DeviceKind::cpu,
                traits.updates, matrix->device().kind() == gpu::DeviceKind::debug});
  refuse_not_finite(*matrix);
  comm().agree([&] {
    r = std::make_unique<Vector<double>>(residual.make_vector("krylov vectors"));
    d = std::make_unique<Vector<double>>(residual.make_vector("krylov vectors"));
  });
  if (options.method == Method::automatic) choice = label(stage()) + ": " + stage().why;
  set_up();
}

template <class Real>
std::unique_ptr<InnerSolver> LinearSolver<Real>::Implementation::make_inner() const {
  if (stage().kind == Stage::Kind::native)
    return make_native_solver<Real>(
        matrix,
        {stage().method, stage().preconditioner, stage().precision == Precision::mixed,
         options.restart, traits.updates, options.set_up_observer},
        traits.near_null);
  if constexpr (is_single) {
    throw Error(ExitCode::bug, "LinearSolver: PETSc was asked for a matrix in float");
  } else {
    if (stage().kind == Stage::Kind::direct) return make_direct_solver(matrix, traits);
    return make_petsc_solver(matrix, traits, petsc_tokens(), options.petsc_options);
  }
}

template <class Real>
PetscTokens LinearSolver<Real>::Implementation::petsc_tokens() const {
  if (stage().kind == Stage::Kind::hypre) return hypre_tokens();
  if (stage().kind == Stage::Kind::ilu) return ilu_tokens(options.restart);
  return gamg_tokens(traits);
}

template <class Real>
void LinearSolver<Real>::Implementation::set_up() {
  const Stopwatch watch;
  bool more = true;
  while (more && !inner) {
    try {
      comm().agree([&] { inner = make_inner(); });
      more = false;
    } catch (const Error& error) {
      const bool no_memory =
          error.code() == ExitCode::system || error.code() == ExitCode::gpu_memory;
      const bool may_fall_back =
          options.method == Method::automatic && (error.code() == ExitCode::diverged || no_memory);
      if (may_fall_back && no_memory) try_lighter();
      if (!may_fall_back || !next_stage(error.what())) throw;
    }
  }
  ++n_set_ups;
  matrix->device().synchronize();
  setup_s += watch.seconds();
}

template <class Real>
void LinearSolver<Real>::Implementation::visit(StateVisitor& visitor) {
  std::string method = label(stage());
  visitor.value("linear_solver.method", method);
  visitor.number("linear_solver.indefinite", indefinite);
  if (!visitor.loading() || method == label(stage())) return;
  for (std::size_t other = 0; other < stages.size(); ++other) {
    if (label(stages[other]) != method) continue;
    current = other;
    inner.reset();
    return set_up();
  }
}

/// What comes after the present stage needs less memory, not more.
template <class Real>
void LinearSolver<Real>::Implementation::try_lighter() {
  const std::vector<Stage> lighter = lighter_stages(stage());
  if (stage().kind == Stage::Kind::native)
    stages.erase(stages.begin() + static_cast<std::ptrdiff_t>(current) + 1, stages.end());
  stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(current) + 1, lighter.begin(),
                lighter.end());
}

template <class Real>
void LinearSolver<Real>::Implementation::update_matrix() {
  const Stopwatch watch;
  refuse_not_finite(*matrix);
  InnerSolver::Update updated = InnerSolver::Update::refused;
  try {
    comm().agree([&] {
      if (inner) updated = inner->update(traits.near_null);
    });
  } catch (const Error& error) {
    if (error.code() != ExitCode::diverged) throw;  // what failed is made anew, or its successor
  }
  setup_s += watch.seconds();
  if (updated == InnerSolver::Update::anew) ++n_set_ups;
  if (updated != InnerSolver::Update::refused) return;
  inner.reset();
  set_up();
}

template <class Real>
bool LinearSolver<Real>::Implementation::next_stage(const std::string& failure) {
  std::size_t next = current + 1;
  while (next < stages.size() &&
         (indefinite ? stages[next].needs_positive_definite : stages[next].only_if_indefinite))
    ++next;
  if (next >= stages.size()) return false;
  choice += fmt::format("{}{} failed ({}); then {}", choice.empty() ? "" : "; ", label(stage()),
                        failure, label(stages[next]));
  current = next;
  inner.reset();
  return true;
}

template <class Real>
KrylovOutcome LinearSolver<Real>::Implementation::solve_inner(const KrylovTarget& target,
                                                              const IterationObserver& observer,
                                                              SolveResult& result) {
  try {
    return inner->solve(*r, *d, target, observer);
  } catch (const Error& error) {
    if (error.code() != ExitCode::diverged) throw;
    gpu::fill(matrix->device(), d->owned(), 0);
    result.message = error.what();
    return {Reason::preconditioner_failed, 0, 1};
  }
}

template <class Real>
Reason LinearSolver<Real>::Implementation::run_stage(const Vector<double>& b, Vector<double>& x,
                                                     double norm_b, SolveResult& result,
                                                     const IterationObserver& observer) {
  const gpu::Device& device = matrix->device();
  double& relative = result.true_relative_residual;
  const int limit = stage().iteration_limit > 0
                        ? std::min(stage().iteration_limit, options.max_iterations)
                        : options.max_iterations;
  int iterations = 0;
  while (!(relative <= tolerance)) {
    if (iterations >= limit) return Reason::max_iterations;
    const double norm_r = relative * norm_b;
    const int before = result.iterations;
    const auto record = [&](int k, double inner_relative) {
      result.history.push_back(relative * inner_relative);
      if (observer) observer(before + k, relative * inner_relative);
    };
    normalise(*r, norm_r);
    KrylovTarget target{margin * tolerance / relative, limit - iterations};
    if (stage().preconditioner == Preconditioner::amg) target.patience = multigrid_stagnation;
    target.trial_iterations = stage().trial_iterations;
    const KrylovOutcome outcome = solve_inner(target, record, result);
    iterations += outcome.iterations;
    result.iterations += outcome.iterations;

    // d becomes the corrected solution; x stays as it is until that has proved better.
    const Vector<double>& x_read = x;
    const Vector<double>& d_read = *d;
    correct(device, x_read.owned(), norm_r, d->owned());
    compute_residual(b, *d);
    const double trial = safe_norm(*r) / norm_b;
    if (!std::isfinite(trial) || !(trial < relative)) {
      compute_residual(b, x);
      if (outcome.reason != Reason::converged) return outcome.reason;
      return std::isfinite(trial) ? Reason::stagnated : Reason::not_a_number;
    }
    gpu::copy(device, d_read.view(), x.view());
    const bool gained = trial <= least_gain * relative;
    relative = trial;
    if (relative <= tolerance) break;
    if (outcome.reason != Reason::converged) return outcome.reason;
    if (!gained) return Reason::stagnated;
  }
  return Reason::converged;
}

template <class Real>
void LinearSolver<Real>::Implementation::compute_residual(const Vector<double>& b,
                                                          Vector<double>& x) {
  if (!is_single || !exact) return residual.compute(b, x, *r);
  residual.update_ghosts(x);
  exact(b, x, *r);
}

template <class Real>
double LinearSolver<Real>::Implementation::backward_error(const Vector<double>& b,
                                                          const Vector<double>& x,
                                                          double residual_norm) {
  return residual_norm / residual.backward_scale(b, x, *d);
}

template <class Real>
bool LinearSolver<Real>::Implementation::at_rounding(const Vector<double>& b, Vector<double>& x,
                                                     double norm_b, SolveResult& result) {
  if (is_single || result.reason != Reason::stagnated) return false;
  const double relative = result.true_relative_residual;
  if (!(backward_error(b, x, relative * norm_b) <= rounding_backward_error)) return false;
  return exact ? is_right(b, x, norm_b, result) : relative <= rounding_residual_limit;
}

template <class Real>
bool LinearSolver<Real>::Implementation::is_right(const Vector<double>& b, Vector<double>& x,
                                                  double norm_b, SolveResult& result) {
  result.last_correction = settle(b, x, result);
  compute_residual(b, x);
  result.true_relative_residual = safe_norm(*r) / norm_b;
  return result.last_correction <= settled;
}

template <class Real>
double LinearSolver<Real>::Implementation::settle(const Vector<double>& b, Vector<double>& x,
                                                  SolveResult& result) {
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_exact_corrections && last > tolerance; ++k) {
    residual.update_ghosts(x);
    exact(b, x, *r);
    const double norm_r = safe_norm(*r);
    normalise(*r, norm_r);
    const KrylovOutcome outcome =
        solve_inner({exact_correction_tolerance, options.max_iterations}, {}, result);
    result.iterations += outcome.iterations;
    if (outcome.reason != Reason::converged) return std::numeric_limits<double>::infinity();
    const double size = norm_r * safe_norm(*d) / safe_norm(x);
    if (!(size < least_gain * last)) return last;
    last = size;
    correct(x.device(), std::as_const(x).owned(), norm_r, d->owned());
    gpu::copy(x.device(), std::as_const(*d).owned(), x.owned());
  }
  return last;
}

template <class Real>
void LinearSolver<Real>::Implementation::describe(SolveResult& result) const {
  result.converged = is_success(result.reason);
  result.method = inner->method();
  result.preconditioner = inner->preconditioner();
  result.precision = to_string(stage().precision);
  result.near_null_vectors = inner->near_null_vectors();
  result.levels = inner->levels();
  result.zero_pivots = inner->zero_pivots();
  result.choice = choice;
  const std::string remark = inner->remark();
  if (result.converged) {
    result.message = remark;
    if (result.reason == Reason::converged_backward)
      result.message = fmt::format(
          "the tolerance {:.0e} is smaller than double precision allows here: the residual "
          "{:.1e} is all rounding (backward error {:.0e}); {}",
          tolerance, result.true_relative_residual, result.backward_error,
          exact
              ? fmt::format("corrections by the residuals of cells ended with a change of {:.0e}",
                            result.last_correction)
              : "the solution may be wrong by 16 times as much, or more where materials differ by "
                "orders of magnitude");
    return;
  }
  if (!result.message.empty()) return;
  result.message = fmt::format(
      "{} stopped after {} iterations with reason {}: true relative residual {:.3e}, asked for "
      "{:.3e}{}; {} (docs/solvers.md)",
      label(stage()), result.iterations, to_string(result.reason), result.true_relative_residual,
      tolerance, remark.empty() ? "" : "; " + remark,
      is_single ? "single precision may not do for this matrix: take precision: mixed"
                : remedy(stage(), result.reason,
                         result.reason == Reason::stagnated && has_wide_contrast(*matrix)));
}

template <class Real>
void LinearSolver<Real>::Implementation::run_stages(const Vector<double>& b, Vector<double>& x,
                                                    double norm_b, SolveResult& result,
                                                    const IterationObserver& observer) {
  if (safe_norm(x) == 0)
    gpu::copy(x.device(), b.owned(), r->owned());
  else
    compute_residual(b, x);
  result.true_relative_residual = safe_norm(*r) / norm_b;
  if (!std::isfinite(result.true_relative_residual)) {
    result.reason = Reason::not_a_number;
    result.message = "the initial guess holds a value that is not finite or far too large";
    return;
  }
  bool more = true;
  while (more) {
    result.reason = run_stage(b, x, norm_b, result, observer);
    // In mixed it may be the preconditioner that rounding has made so.
    if (result.reason == Reason::not_positive_definite && stage().precision != Precision::mixed)
      indefinite = true;
    if (at_rounding(b, x, norm_b, result))
      result.reason = Reason::converged_backward;
    else if (exact && result.reason == Reason::converged && has_wide_contrast(*matrix))
      result.reason = !is_right(b, x, norm_b, result)              ? Reason::stagnated
                      : result.true_relative_residual <= tolerance ? Reason::converged
                                                                   : Reason::converged_backward;
    more = !is_success(result.reason) &&
           next_stage(fmt::format("{} after {} iterations, relative residual {:.3e}",
                                  to_string(result.reason), result.iterations,
                                  result.true_relative_residual));
    if (more) {
      result.message.clear();
      set_up();
    }
  }
  result.backward_error = backward_error(b, x, result.true_relative_residual * norm_b);
}

template <class Real>
SolveResult LinearSolver<Real>::Implementation::solve(const Vector<double>& b, Vector<double>& x,
                                                      const IterationObserver& observer,
                                                      double target,
                                                      const ExactResidual& exact_residual) {
  const Stopwatch watch;
  tolerance = target;
  exact = exact_residual;
  const double setup_before = setup_s;
  SolveResult result;
  const double norm_b = safe_norm(b);
  if (norm_b == 0) {
    gpu::fill(matrix->device(), x.view(), 0);
    result.reason = Reason::zero_right_side;
  } else if (!std::isfinite(norm_b)) {
    result.reason = Reason::not_a_number;
    result.true_relative_residual = norm_b;
    result.message = "the right-hand side holds a value that is not finite";
  } else {
    run_stages(b, x, norm_b, result, observer);
  }
  result.true_relative_residual = std::abs(result.true_relative_residual);  // no sign of a NaN
  describe(result);
  result.setup_s = setup_s;
  matrix->device().synchronize();
  result.solve_s = watch.seconds() - (setup_s - setup_before);
  setup_s = 0;
  return result;
}

template <class Real>
LinearSolver<Real>::LinearSolver(const SolverOptions& options,
                                 std::shared_ptr<const BlockMatrix<Real>> matrix,
                                 MatrixTraits traits)
    : implementation_(
          std::make_unique<Implementation>(options, std::move(matrix), std::move(traits))) {}

template <class Real>
LinearSolver<Real>::~LinearSolver() = default;
template <class Real>
LinearSolver<Real>::LinearSolver(LinearSolver&&) noexcept = default;

template <class Real>
void LinearSolver<Real>::update_matrix() {
  implementation_->update_matrix();
}

template <class Real>
std::int64_t LinearSolver<Real>::n_set_ups() const {
  return implementation_->n_set_ups;
}

template <class Real>
bool LinearSolver<Real>::keeps() const {
  return implementation_->inner && implementation_->inner->keeps();
}

template <class Real>
void LinearSolver<Real>::visit(StateVisitor& visitor) {
  implementation_->visit(visitor);
}

template <class Real>
SolveResult LinearSolver<Real>::solve(const Vector<double>& b, Vector<double>& x,
                                      const IterationObserver& observer,
                                      const ExactResidual& exact) {
  return implementation_->solve(b, x, observer, implementation_->options.tolerance, exact);
}

template <class Real>
SolveResult LinearSolver<Real>::solve_to(double tolerance, const Vector<double>& b,
                                         Vector<double>& x, const IterationObserver& observer,
                                         const ExactResidual& exact) {
  return implementation_->solve(b, x, observer, tolerance, exact);
}

template class LinearSolver<float>;
template class LinearSolver<double>;

}  // namespace trestle::solver
