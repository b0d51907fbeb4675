#include "solver/petsc_solver.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.hpp"
#include "solver/petsc_matrix.hpp"
#include "solver/petsc_options.hpp"

namespace trestle::solver {
namespace {

PetscErrorCode pass_on(KSP, PetscInt iteration, PetscReal residual, void* context) {
  const auto& observer = *static_cast<const IterationObserver*>(context);
  if (observer && iteration > 0) observer(static_cast<int>(iteration), residual);
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
  PC pc() const {
    PC result = nullptr;
    static_cast<void>(KSPGetPC(ksp_.get(), &result));
    return result;
  }
  PCFailedReason set_up_failure() const {
    PCFailedReason reason = PC_NOERROR;
    static_cast<void>(PCGetFailedReason(pc(), &reason));
    return reason;
  }

 private:
  void choose_norm(PetscCalls& calls) const;
  KrylovOutcome outcome(PetscCalls& calls) const;

  std::unique_ptr<PetscOptionSet> options_;
  PetscMat matrix_;
  PetscKsp ksp_;
  PetscVec right_, solution_;
  IterationObserver observer_;
  int near_null_vectors_ = 0;
  bool own_tolerance_ = false;  // the options say when to stop
  bool own_limit_ = false;
};

PetscSolver::PetscSolver(const BlockMatrix<double>& matrix, const MatrixTraits& traits,
                         const PetscTokens& base, const PetscTokens& user) {
  PetscCalls calls;
  options_ = std::make_unique<PetscOptionSet>(calls, base, user);
  const PetscOptionSet::Scope scope(calls, *options_);
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
  calls.check(KSPMonitorSet(ksp, pass_on, &observer_, nullptr));
  right_ = make_petsc_vector(calls, matrix_);
  solution_ = make_petsc_vector(calls, matrix_);
  calls.check(KSPSetUp(ksp));
  if (set_up_failure() == PC_NOERROR) calls.check(KSPSetUpOnBlocks(ksp));
  options_->refuse_unused(calls);
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
  PetscCalls calls;
  const PetscOptionSet::Scope scope(calls, *options_);
  observer_ = observer;
  calls.check(KSPSetTolerances(ksp_.get(), own_tolerance_ ? PETSC_DEFAULT : target.tolerance,
                               PETSC_DEFAULT, PETSC_DEFAULT,
                               own_limit_ ? PETSC_DEFAULT : target.max_iterations));
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
  observer_ = {};
  return outcome(calls);
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
  static_cast<void>(PCGetType(pc(), &type));
  return type == nullptr ? "none" : type;
}

/// MUMPS through PETSc.
class DirectSolver final : public PetscSolver {
 public:
  DirectSolver(const BlockMatrix<double>& matrix, const MatrixTraits& traits,
               const PetscTokens& options)
      : PetscSolver(matrix, traits, options, {}) {
    Mat factor = nullptr;
    PetscCalls calls;
    calls.check(PCFactorGetMatrix(pc(), &factor));
    if (factor != nullptr && set_up_failure() == PC_NOERROR)
      calls.check(MatMumpsGetInfog(factor, 28, &n_zero_pivots_));
  }

  KrylovOutcome solve(Vector<double>& r, Vector<double>& d, const KrylovTarget& target,
                      const IterationObserver& observer) override {
    KrylovOutcome result = PetscSolver::solve(r, d, target, observer);
    result.iterations = 1;
    if (is_singular()) result.reason = Reason::singular;
    return result;
  }
  std::string method() const override { return "direct"; }
  std::string preconditioner() const override { return "mumps"; }
  std::string remark() const override {
    if (n_zero_pivots_ > 0)
      return "the matrix is singular: " + std::to_string(n_zero_pivots_) +
             " zero pivots, so many combinations of unknowns are not held";
    if (is_singular()) return "the matrix is singular: a pivot is zero";
    if (out_of_memory()) return "MUMPS ran out of its working memory";
    return "";
  }
  bool out_of_memory() const { return set_up_failure() == PC_FACTOR_OUTMEMORY; }

 private:
  bool is_singular() const {
    const PCFailedReason reason = set_up_failure();
    return n_zero_pivots_ > 0 || reason == PC_FACTOR_STRUCT_ZEROPIVOT ||
           reason == PC_FACTOR_NUMERIC_ZEROPIVOT;
  }
  PetscInt n_zero_pivots_ = 0;
};

/// ICNTL(24): count zero pivots, those below CNTL(3) times the largest entry of the scaled matrix;
/// ICNTL(13): no ScaLAPACK at the root, which cannot count them; ICNTL(14): percentage of spare
/// memory. The matrix is never declared positive definite, so that MUMPS pivots.
PetscTokens mumps_tokens(const MatrixTraits& traits, int spare_percent) {
  return {"-ksp_type",
          "preonly",
          "-pc_type",
          traits.symmetric ? "cholesky" : "lu",
          "-pc_factor_mat_solver_type",
          "mumps",
          "-mat_mumps_icntl_13",
          "1",
          "-mat_mumps_icntl_14",
          std::to_string(spare_percent),
          "-mat_mumps_icntl_24",
          "1",
          "-mat_mumps_cntl_3",
          "1e-14"};
}

}  // namespace

PetscTokens multigrid_tokens(const MatrixTraits& traits) {
  return {"-ksp_type", traits.symmetric && traits.positive_definite ? "cg" : "gmres", "-pc_type",
          "gamg"};
}

std::unique_ptr<InnerSolver> make_petsc_solver(std::shared_ptr<const BlockMatrix<double>> matrix,
                                               const MatrixTraits& traits, const PetscTokens& base,
                                               const PetscTokens& user) {
  return std::make_unique<PetscSolver>(*matrix, traits, base, user);
}

std::unique_ptr<InnerSolver> make_direct_solver(std::shared_ptr<const BlockMatrix<double>> matrix,
                                                const MatrixTraits& traits) {
  std::unique_ptr<DirectSolver> result;
  for (int spare_percent : {35, 100, 400}) {
    result = std::make_unique<DirectSolver>(*matrix, traits, mumps_tokens(traits, spare_percent));
    if (!result->out_of_memory()) break;
  }
  return result;
}

}  // namespace trestle::solver
