#include "solver/petsc/solver.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>

#include "core/error.hpp"
#include "solver/petsc/matrix.hpp"
#include "solver/petsc/options.hpp"

namespace trestle::solver {
namespace {

/// For several ranks: without these PETSc sums what other ranks send for a matrix in the order of
/// its arrival, and no two runs on four ranks agree in the last digits. A case may set them
/// otherwise.
const PetscTokens repeatable{"-matstash_legacy", "-matstash_reproduce", "-matptap_via",
                             "allatonce"};

/// What hears of iterations. Exceptions do not cross PETSc: one ends the solve, and is kept.
struct Listener {
  IterationObserver observer;
  std::exception_ptr failure;
};

PetscErrorCode pass_on(KSP, PetscInt iteration, PetscReal residual, void* context) {
  auto& listener = *static_cast<Listener*>(context);
  if (!listener.observer || iteration == 0) return 0;
  try {
    listener.observer(static_cast<int>(iteration), residual);
  } catch (...) {
    listener.failure = std::current_exception();
    return PETSC_ERR_LIB;
  }
  return 0;
}

Reason reason_of(KSPConvergedReason reason) {
  if (reason > 0) return Reason::converged;
  switch (reason) {
    case KSP_DIVERGED_ITS:
      return Reason::max_iterations;
    case KSP_DIVERGED_NANORINF:
      return Reason::not_a_number;
    case KSP_DIVERGED_INDEFINITE_PC:
    case KSP_DIVERGED_INDEFINITE_MAT:
      return Reason::not_positive_definite;
    case KSP_DIVERGED_PC_FAILED:
      return Reason::preconditioner_failed;
    default:
      return Reason::breakdown;
  }
}

/// One KSP with its matrix, options and vectors.
class PetscSolver : public InnerSolver {
 public:
  PetscSolver(const BlockMatrix<double>& matrix, const MatrixTraits& traits,
              const PetscTokens& base, const PetscTokens& user);

  KrylovOutcome solve(Vector<double>& r, Vector<double>& d, const KrylovTarget& target,
                      const IterationObserver& observer) override;

  std::string method() const override { return "petsc"; }
  std::string preconditioner() const override;
  int near_null_vectors() const override { return near_null_vectors_; }

 protected:
  const PetscOptionSet& option_set() const { return *options_; }
  PC pc() const {
    PC result = nullptr;
    if (ksp_.get() != nullptr) static_cast<void>(KSPGetPC(ksp_.get(), &result));
    return result;
  }
  /// Takes the values of the matrix anew. The KSP is set up again with its next solve, or before.
  void take_values(PetscCalls& calls, const BlockMatrix<double>& matrix,
                   const MatrixTraits& traits) {
    const PetscOptionSet::Scope scope(calls, *options_);
    try {
      update_petsc_matrix(calls, matrix, traits, matrix_);
      calls.check(KSPSetOperators(ksp_.get(), matrix_.get(), matrix_.get()));
      calls.check(KSPSetUp(ksp_.get()));
      if (set_up_failure() == PC_NOERROR) calls.check(KSPSetUpOnBlocks(ksp_.get()));
    } catch (...) {
      ksp_.abandon();
      throw;
    }
  }
  PCFailedReason set_up_failure() const {
    PCFailedReason reason = PC_NOERROR;
    if (pc() != nullptr) static_cast<void>(PCGetFailedReason(pc(), &reason));
    return reason;
  }

 private:
  void set_up(PetscCalls& calls, const BlockMatrix<double>& matrix, const MatrixTraits& traits);
  void run(PetscCalls& calls, Vector<double>& r, Vector<double>& d);
  void choose_norm(PetscCalls& calls) const;
  void form_restrictions(PetscCalls& calls) const;
  void refuse_zero_diagonal(PetscCalls& calls, int block) const;
  KrylovOutcome outcome(PetscCalls& calls) const;

  std::unique_ptr<PetscOptionSet> options_;
  PetscMat matrix_;
  PetscKsp ksp_;
  PetscVec right_, solution_;
  Listener listener_;
  int near_null_vectors_ = 0;
  bool own_tolerance_ = false;  // the options say when to stop
  bool own_limit_ = false;
};

PetscSolver::PetscSolver(const BlockMatrix<double>& matrix, const MatrixTraits& traits,
                         const PetscTokens& base, const PetscTokens& user) {
  PetscCalls calls;
  PetscTokens defaults = base;
  if (matrix.pattern().map->comm().size() > 1)
    defaults.insert(defaults.begin(), repeatable.begin(), repeatable.end());
  options_ = std::make_unique<PetscOptionSet>(calls, defaults, user);
  const PetscOptionSet::Scope scope(calls, *options_);
  try {
    set_up(calls, matrix, traits);
  } catch (...) {
    ksp_.abandon();
    throw;
  }
  options_->refuse_unused(calls);
}

void PetscSolver::set_up(PetscCalls& calls, const BlockMatrix<double>& matrix,
                         const MatrixTraits& traits) {
  const IndexMap& map = *matrix.pattern().map;
  matrix_ = make_petsc_matrix(calls, matrix, traits);
  near_null_vectors_ = set_near_null_space(calls, map, traits, matrix_);
  calls.check(KSPCreate(map.comm().handle(), ksp_.out()));
  const KSP ksp = ksp_.get();
  calls.check(KSPSetOperators(ksp, matrix_.get(), matrix_.get()));
  calls.check(KSPSetTolerances(ksp, PETSC_DEFAULT, 0, 1e8, PETSC_DEFAULT));
  calls.check(KSPSetFromOptions(ksp));
  own_tolerance_ = options_->has(calls, "-ksp_rtol");
  own_limit_ = options_->has(calls, "-ksp_max_it");
  choose_norm(calls);
  calls.check(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  calls.check(KSPMonitorSet(ksp, pass_on, &listener_, nullptr));
  right_ = make_petsc_vector(calls, matrix_);
  solution_ = make_petsc_vector(calls, matrix_);
  refuse_zero_diagonal(calls, matrix.block());
  calls.check(KSPSetUp(ksp));
  if (set_up_failure() == PC_NOERROR) form_restrictions(calls);
  if (set_up_failure() == PC_NOERROR) calls.check(KSPSetUpOnBlocks(ksp));
}

/// PETSc restricts by the transpose of the prolongation and adds what other ranks send in the order
/// of its arrival, so that no two runs agree in the last digits; a matrix of its own is repeatable.
void PetscSolver::form_restrictions(PetscCalls& calls) const {
  const std::string type = preconditioner();
  if (type != PCGAMG && type != PCMG) return;
  PC pc = nullptr;
  calls.check(KSPGetPC(ksp_.get(), &pc));
  PetscInt n_levels = 0;
  calls.check(PCMGGetLevels(pc, &n_levels));
  for (PetscInt level = 1; level < n_levels; ++level) {
    Mat prolongation = nullptr, restriction = nullptr;
    calls.check(PCMGGetInterpolation(pc, level, &prolongation));
    calls.check(MatTranspose(prolongation, MAT_INITIAL_MATRIX, &restriction));
    calls.check(PCMGSetRestriction(pc, level, restriction));
    calls.check(MatDestroy(&restriction));
  }
}

/// PETSc's SOR stops at a zero on the diagonal, on the rank that meets it alone, and the others
/// wait for ever: it is found here, on all ranks.
void PetscSolver::refuse_zero_diagonal(PetscCalls& calls, int block) const {
  const std::string type = preconditioner();
  if (type != PCGAMG && type != PCMG && type != PCSOR && type != PCEISENSTAT) return;
  PetscInt at = 0;
  PetscReal smallest = 0;
  calls.check(MatGetDiagonal(matrix_.get(), solution_.get()));
  calls.check(VecAbs(solution_.get()));
  calls.check(VecMin(solution_.get(), &at, &smallest));
  if (smallest == 0)
    throw NumericalError(ExitCode::diverged,
                         "PETSc's " + type +
                             " needs a diagonal without zeros, and the matrix has a "
                             "zero in row " +
                             std::to_string(at / block) + ", component " +
                             std::to_string(at % block) + "; take method direct, minres or gmres");
}

/// The unpreconditioned residual decides where the method can measure it.
void PetscSolver::choose_norm(PetscCalls& calls) const {
  if (options_->has(calls, "-ksp_norm_type") || options_->has(calls, "-ksp_pc_side")) return;
  KSPType type = nullptr;
  calls.check(KSPGetType(ksp_.get(), &type));
  const std::string_view name = type == nullptr ? "" : type;
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_one_of({KSPGMRES, KSPBCGS})) calls.check(KSPSetPCSide(ksp_.get(), PC_RIGHT));
  if (is_one_of({KSPCG, KSPGMRES, KSPFGMRES, KSPBCGS}))
    calls.check(KSPSetNormType(ksp_.get(), KSP_NORM_UNPRECONDITIONED));
}

KrylovOutcome PetscSolver::solve(Vector<double>& r, Vector<double>& d, const KrylovTarget& target,
                                 const IterationObserver& observer) {
  if (ksp_.get() == nullptr)
    throw NumericalError(ExitCode::diverged,
                         "PETSc is not used again after an error of an earlier solve");
  PetscCalls calls;
  const PetscOptionSet::Scope scope(calls, *options_);
  listener_ = {observer, {}};
  calls.check(KSPSetTolerances(ksp_.get(), own_tolerance_ ? PETSC_DEFAULT : target.tolerance,
                               PETSC_DEFAULT, PETSC_DEFAULT,
                               own_limit_ ? PETSC_DEFAULT : target.max_iterations));
  try {
    run(calls, r, d);
  } catch (...) {
    ksp_.abandon();
    if (listener_.failure) std::rethrow_exception(listener_.failure);
    throw;
  }
  listener_ = {};
  return outcome(calls);
}

void PetscSolver::run(PetscCalls& calls, Vector<double>& r, Vector<double>& d) {
  const auto n = static_cast<std::ptrdiff_t>(r.n_owned());
  {
    PetscScalar* to = nullptr;
    calls.check(VecGetArrayWrite(right_.get(), &to));
    const Vector<double>& from = r;
    const auto values = gpu::read(from.values());
    std::copy(values.begin(), values.begin() + n, to);
    calls.check(VecRestoreArrayWrite(right_.get(), &to));
  }
  calls.check(KSPSolve(ksp_.get(), right_.get(), solution_.get()));
  {
    const PetscScalar* from = nullptr;
    calls.check(VecGetArrayRead(solution_.get(), &from));
    const auto values = gpu::write(d.values());
    std::copy(from, from + n, values.begin());
    calls.check(VecRestoreArrayRead(solution_.get(), &from));
  }
}

KrylovOutcome PetscSolver::outcome(PetscCalls& calls) const {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  KrylovOutcome result;
  PetscInt iterations = 0;
  calls.check(KSPGetConvergedReason(ksp_.get(), &reason));
  calls.check(KSPGetIterationNumber(ksp_.get(), &iterations));
  calls.check(KSPGetResidualNorm(ksp_.get(), &result.relative_residual));
  result.reason = reason_of(reason);
  result.iterations = static_cast<int>(iterations);
  return result;
}

std::string PetscSolver::preconditioner() const {
  PCType type = nullptr;
  if (pc() != nullptr) static_cast<void>(PCGetType(pc(), &type));
  return type == nullptr ? "none" : type;
}

/// Unknowns up to which the matrix is gathered on rank 0 for factoring: MUMPS on several ranks adds
/// in the order in which messages arrive, so that its last bits change from run to run.
constexpr GlobalIndex gathered_limit = 200'000;

/// MUMPS through PETSc.
class DirectSolver final : public PetscSolver {
 public:
  DirectSolver(std::shared_ptr<const BlockMatrix<double>> matrix, const MatrixTraits& traits,
               const PetscTokens& options)
      : PetscSolver(*matrix, traits, options, {}), matrix_(std::move(matrix)), traits_(traits) {
    factor();
  }

  /// Factors with the ordering of the matrix that this was made from [MUMPS keeps its analysis as
  /// long as the pattern stays]. What comes to no factors, or to zero pivots, is left to an
  /// analysis of its own.
  Update update(const std::vector<std::vector<double>>& /*near_null*/) override {
    PetscCalls calls;
    take_values(calls, *matrix_, traits_);
    factor();
    const bool kept = failure_ == PC_NOERROR && n_zero_pivots_ == 0;
    return kept ? Update::kept : Update::refused;
  }
  bool keeps() const override { return true; }

  KrylovOutcome solve(Vector<double>& r, Vector<double>& d, const KrylovTarget& target,
                      const IterationObserver& observer) override {
    KrylovOutcome result = PetscSolver::solve(r, d, target, observer);
    result.iterations = 1;
    if (is_singular())
      result.reason = Reason::singular;
    else if (failure_ != PC_NOERROR)
      result.reason = Reason::preconditioner_failed;
    return result;
  }
  std::string method() const override { return "direct"; }
  std::string preconditioner() const override { return "mumps"; }
  int zero_pivots() const override { return static_cast<int>(n_zero_pivots_); }
  int negative_pivots() const override { return static_cast<int>(n_negative_pivots_); }
  std::string remark() const override {
    if (n_zero_pivots_ > 0)
      return "the matrix is singular: " + std::to_string(n_zero_pivots_) +
             (n_zero_pivots_ == 1 ? " zero pivot" : " zero pivots") +
             ", as many combinations of unknowns are not held";
    if (is_singular()) return "the matrix is singular: a pivot is zero";
    if (out_of_memory()) return "MUMPS ran out of its working memory";
    return "";
  }
  bool out_of_memory() const override { return failure_ == PC_FACTOR_OUTMEMORY; }

 private:
  /// What came of the factors, which a gathering has left to be made.
  void factor() {
    const Comm& comm = matrix_->pattern().map->comm();
    failure_ = PC_NOERROR;
    n_zero_pivots_ = 0;
    n_negative_pivots_ = -1;
    PetscCalls calls;
    comm.agree([&] {
      const PC factoring = factoring_pc(calls);
      if (factoring == nullptr) return;
      Mat factor = nullptr;
      const PetscOptionSet::Scope scope(calls, option_set());
      calls.check(PCSetUp(factoring));
      calls.check(PCGetFailedReason(factoring, &failure_));
      calls.check(PCFactorGetMatrix(factoring, &factor));
      if (failure_ == PC_NOERROR && factor != nullptr) {
        calls.check(MatMumpsGetInfog(factor, 28, &n_zero_pivots_));
        if (traits_.symmetric) calls.check(MatMumpsGetInfog(factor, 12, &n_negative_pivots_));
      }
    });
    failure_ = static_cast<PCFailedReason>(comm.max(static_cast<int>(failure_)));
    n_zero_pivots_ = comm.max(n_zero_pivots_);
    n_negative_pivots_ = comm.max(n_negative_pivots_);
  }
  /// The PC that holds the factors: this one, or the one behind the gathering, on rank 0 only.
  PC factoring_pc(PetscCalls& calls) const {
    PetscBool gathered = PETSC_FALSE;
    calls.check(
        PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc()), PCTELESCOPE, &gathered));
    if (gathered == PETSC_FALSE) return pc();
    KSP inner = nullptr;
    PC result = nullptr;
    calls.check(PCTelescopeGetKSP(pc(), &inner));
    if (inner != nullptr) calls.check(KSPGetPC(inner, &result));
    return result;
  }
  bool is_singular() const {
    return n_zero_pivots_ > 0 || failure_ == PC_FACTOR_STRUCT_ZEROPIVOT ||
           failure_ == PC_FACTOR_NUMERIC_ZEROPIVOT;
  }
  std::shared_ptr<const BlockMatrix<double>> matrix_;
  MatrixTraits traits_;
  PetscInt n_zero_pivots_ = 0;
  PetscInt n_negative_pivots_ = -1;
  PCFailedReason failure_ = PC_NOERROR;
};

/// ICNTL(24): count zero pivots, those below CNTL(3) times the largest entry of the scaled matrix;
/// ICNTL(13): no ScaLAPACK at the root, which cannot count them; ICNTL(14): percentage of spare
/// memory. The matrix is never declared positive definite, so that MUMPS pivots.
PetscTokens mumps_tokens(const BlockMatrix<double>& matrix, bool symmetric, int spare_percent) {
  const IndexMap& map = *matrix.pattern().map;
  const int n_ranks = map.comm().size();
  const bool gather = n_ranks > 1 && map.n_global() * matrix.block() <= gathered_limit;
  PetscTokens tokens = {"-ksp_type", "preonly"};
  if (gather)
    tokens.insert(tokens.end(), {"-pc_type", "telescope", "-pc_telescope_reduction_factor",
                                 std::to_string(n_ranks), "-telescope_ksp_type", "preonly"});
  const std::pair<const char*, std::string> options[] = {
      {"pc_type", symmetric ? "cholesky" : "lu"},
      {"pc_factor_mat_solver_type", "mumps"},
      {"mat_mumps_icntl_13", "1"},
      {"mat_mumps_icntl_14", std::to_string(spare_percent)},
      {"mat_mumps_icntl_24", "1"},
      {"mat_mumps_cntl_3", "1e-14"}};
  for (const auto& [name, value] : options) {
    tokens.push_back((gather ? "-telescope_" : "-") + std::string(name));
    tokens.push_back(value);
  }
  return tokens;
}

}  // namespace

PetscTokens gamg_tokens(const MatrixTraits& traits) {
  return {"-ksp_type", traits.symmetric && traits.positive_definite ? "cg" : "gmres", "-pc_type",
          "gamg"};
}

PetscTokens hypre_tokens() {
  return {"-ksp_type",
          "cg",
          "-pc_type",
          "hypre",
          "-pc_hypre_type",
          "boomeramg",
          "-pc_hypre_boomeramg_strong_threshold",
          "0.5"};
}

PetscTokens ilu_tokens(int restart) {
  return {"-ksp_type", "gmres",   "-ksp_gmres_restart", std::to_string(restart),
          "-pc_type",  "bjacobi", "-sub_pc_type",       "ilu"};
}

std::unique_ptr<InnerSolver> make_petsc_solver(std::shared_ptr<const BlockMatrix<double>> matrix,
                                               const MatrixTraits& traits, const PetscTokens& base,
                                               const PetscTokens& user) {
  return std::make_unique<PetscSolver>(*matrix, traits, base, user);
}

std::unique_ptr<InnerSolver> make_direct_solver(std::shared_ptr<const BlockMatrix<double>> matrix,
                                                const MatrixTraits& traits) {
  MatrixTraits bare;  // factors need no near-null space
  bare.symmetric = traits.symmetric;
  std::unique_ptr<DirectSolver> result;
  for (int spare_percent : {35, 100, 400}) {
    result = std::make_unique<DirectSolver>(matrix, bare,
                                            mumps_tokens(*matrix, traits.symmetric, spare_percent));
    if (!result->out_of_memory()) break;
  }
  return result;
}

}  // namespace trestle::solver
