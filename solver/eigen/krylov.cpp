#include "solver/eigen/krylov.hpp"

#include <slepceps.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <numeric>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/petsc/matrix.hpp"
#include "solver/petsc/options.hpp"
#include "solver/petsc/solver.hpp"

namespace trestle::solver {
namespace {

using SlepcEps = PetscOwned<EPS, EPSDestroy>;

/// SLEPc registers its types once, beside a PETSc that runs already. Collective.
void start_slepc(PetscCalls& calls) {
  PetscBool running = PETSC_FALSE;
  calls.check(SlepcInitialized(&running));
  if (running == PETSC_FALSE) calls.check(SlepcInitializeNoArguments());
}

void copy_to(PetscCalls& calls, std::span<const double> from, Vec to) {
  PetscScalar* values = nullptr;
  calls.check(VecGetArrayWrite(to, &values));
  std::copy(from.begin(), from.end(), values);
  calls.check(VecRestoreArrayWrite(to, &values));
}

/// (K - shift M)^-1 as a preconditioner of PETSc. Exceptions do not cross PETSc: the first is kept.
class Inverse {
 public:
  Inverse(const MatrixOperator<double>& mass, ShiftedFactors& shifted, IterationObserver observer)
      : shifted_(shifted),
        observer_(std::move(observer)),
        b_(mass.make_vector("modes")),
        x_(mass.make_vector("modes")) {}

  static PetscErrorCode apply(PC pc, Vec in, Vec out) {
    void* context = nullptr;
    if (const PetscErrorCode code = PCShellGetContext(pc, &context); code != 0) return code;
    return static_cast<Inverse*>(context)->apply(in, out);
  }

  const std::exception_ptr& failure() const { return failure_; }
  int applications() const { return applications_; }

 private:
  PetscErrorCode apply(Vec in, Vec out) {
    if (failure_) return PETSC_ERR_LIB;
    try {
      PetscCalls calls;
      const auto n = static_cast<std::size_t>(b_.n_owned());
      {
        const PetscScalar* from = nullptr;
        calls.check(VecGetArrayRead(in, &from));
        const auto to = gpu::write(b_.values());
        std::copy(from, from + n, to.begin());
        calls.check(VecRestoreArrayRead(in, &from));
      }
      static_cast<void>(shifted_.factors->solve(b_, x_, {}, {}));
      ++applications_;
      if (observer_) observer_(applications_, 0);
      const auto values = gpu::read(std::as_const(x_).values());
      copy_to(calls, {values.begin(), n}, out);
      return 0;
    } catch (...) {
      failure_ = std::current_exception();
      return PETSC_ERR_LIB;
    }
  }

  ShiftedFactors& shifted_;
  IterationObserver observer_;
  Vector<double> b_, x_;
  std::exception_ptr failure_;
  int applications_ = 0;
};

/// A number in [-1, 1] that depends on a node's canonical id alone [splitmix64, Steele et al.
/// 2014].
double scattered(std::uint64_t key) {
  key += 0x9e3779b97f4a7c15ULL;
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>(static_cast<std::int64_t>(key ^ (key >> 31))) * 0x1p-63;
}

/// The same first vector on any number of ranks.
std::vector<double> start_vector(const IndexMap& map, int block, std::size_t seed) {
  std::vector<double> start;
  for (Index node = 0; node < map.n_owned(); ++node)
    for (int d = 0; d < block; ++d)
      start.push_back(scattered(
          static_cast<std::uint64_t>(map.ids()[static_cast<std::size_t>(node)] * block + d) +
          (static_cast<std::uint64_t>(seed) << 48)));
  return start;
}

/// One EPS with what it works on.
class KrylovSchur {
 public:
  KrylovSchur(PetscCalls& calls, const KrylovSchurOptions& options, const BlockMatrix<double>& K,
              const MatrixOperator<double>& M, Inverse& inverse, double shift)
      : calls_(calls),
        map_(*K.pattern().map),
        stiffness_(make_petsc_matrix(calls, K, {})),
        mass_(make_petsc_matrix(calls, M.matrix(), {})) {
    calls.check(EPSCreate(map_.comm().handle(), eps_.out()));
    const EPS eps = eps_.get();
    calls.check(EPSSetOperators(eps, stiffness_.get(), mass_.get()));
    calls.check(EPSSetProblemType(eps, EPS_GHEP));
    calls.check(EPSSetType(eps, EPSKRYLOVSCHUR));
    calls.check(EPSSetPurify(eps, PETSC_FALSE));  // vectors are 0 where M is: see iterate_inversely
    calls.check(EPSSetTarget(eps, shift));
    calls.check(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
    const int n_basis =
        std::min(options.n_free, std::max(2 * options.n_wanted, options.n_wanted + 15));
    calls.check(EPSSetDimensions(eps, options.n_wanted, n_basis, PETSC_DEFAULT));
    calls.check(EPSSetTolerances(eps, options.tolerance, options.max_restarts));
    set_inverse(inverse);
  }

  void start(const HostColumns& known, int block) {
    std::vector<PetscVec> owners;
    std::vector<Vec> deflated;
    for (const std::vector<double>& column : known) {
      owners.push_back(make_petsc_vector(calls_, stiffness_));
      copy_to(calls_, column, owners.back().get());
      deflated.push_back(owners.back().get());
    }
    if (!deflated.empty())
      calls_.check(EPSSetDeflationSpace(eps_.get(), static_cast<PetscInt>(deflated.size()),
                                        deflated.data()));
    const PetscVec first = make_petsc_vector(calls_, stiffness_);
    copy_to(calls_, start_vector(map_, block, known.size()), first.get());
    Vec start = first.get();
    calls_.check(EPSSetInitialSpace(eps_.get(), 1, &start));
  }

  KrylovSchurOutcome solve() {
    KrylovSchurOutcome outcome;
    calls_.check(EPSSolve(eps_.get()));
    EPSConvergedReason reason = EPS_CONVERGED_ITERATING;
    PetscInt n_found = 0, restarts = 0;
    calls_.check(EPSGetConvergedReason(eps_.get(), &reason));
    calls_.check(EPSGetConverged(eps_.get(), &n_found));
    calls_.check(EPSGetIterationNumber(eps_.get(), &restarts));
    outcome.converged = reason > 0;
    outcome.breakdown = reason <= 0 && reason != EPS_DIVERGED_ITS;
    outcome.restarts = static_cast<int>(restarts);
    const PetscVec vector = make_petsc_vector(calls_, stiffness_);
    PetscInt n = 0;
    calls_.check(VecGetLocalSize(vector.get(), &n));
    for (PetscInt i = 0; i < n_found; ++i) {
      calls_.check(EPSGetEigenvector(eps_.get(), i, vector.get(), nullptr));
      const PetscScalar* values = nullptr;
      calls_.check(VecGetArrayRead(vector.get(), &values));
      outcome.vectors.emplace_back(values, values + n);
      calls_.check(VecRestoreArrayRead(vector.get(), &values));
    }
    return outcome;
  }
  void abandon() { eps_.abandon(); }

 private:
  /// SLEPc's own K - shift M stays a shell: the factors are ours.
  void set_inverse(Inverse& inverse) {
    ST st = nullptr;
    KSP ksp = nullptr;
    PC pc = nullptr;
    calls_.check(EPSGetST(eps_.get(), &st));
    calls_.check(STSetType(st, STSINVERT));
    calls_.check(STSetMatMode(st, ST_MATMODE_SHELL));
    calls_.check(STGetKSP(st, &ksp));
    calls_.check(KSPSetType(ksp, KSPPREONLY));
    calls_.check(KSPGetPC(ksp, &pc));
    calls_.check(PCSetType(pc, PCSHELL));
    calls_.check(PCShellSetContext(pc, &inverse));
    calls_.check(PCShellSetApply(pc, Inverse::apply));
  }

  PetscCalls& calls_;
  const IndexMap& map_;
  PetscMat stiffness_, mass_;
  SlepcEps eps_;
};

}  // namespace

ShiftedFactors factor_shifted(const BlockMatrix<double>& K, const BlockMatrix<double>& M,
                              double shift) {
  auto shifted = std::make_shared<BlockMatrix<double>>(K.device(), K.shared_pattern(), K.block());
  const auto& from = K.values();
  gpu::copy(K.device(), from.view(), shifted->values().view());
  gpu::axpy(K.device(), -shift, M.values().view(), shifted->values().view());
  MatrixTraits traits;
  traits.positive_definite = false;
  return {shift, make_direct_solver(shifted, traits)};
}

KrylovSchurOutcome krylov_schur(const KrylovSchurOptions& options, const BlockMatrix<double>& K,
                                const MatrixOperator<double>& M, ShiftedFactors& shifted,
                                const HostColumns& known) {
  PetscCalls calls;
  start_slepc(calls);
  Inverse inverse(M, shifted, options.observer);
  const PetscOptionSet none(calls, {}, {});
  const PetscOptionSet::Scope scope(calls, none);
  KrylovSchur method(calls, options, K, M, inverse, shifted.shift);
  try {
    method.start(known, K.block());
    KrylovSchurOutcome outcome = method.solve();
    outcome.applications = inverse.applications();
    return outcome;
  } catch (...) {
    method.abandon();
    if (inverse.failure()) std::rethrow_exception(inverse.failure());
    throw;
  }
}

void iterate_inversely(const MatrixOperator<double>& M, ShiftedFactors& inverse,
                       const HostColumns& known, HostColumns& vectors) {
  Vector<double> x = M.make_vector("modes"), Mx = M.make_vector("modes");
  const auto multiply = [&](const std::vector<double>& vector) {
    {
      const auto to = gpu::write(x.values());
      std::copy(vector.begin(), vector.end(), to.begin());
    }
    M.apply(x, Mx);
  };
  for (std::vector<double>& vector : vectors) {
    multiply(vector);
    static_cast<void>(inverse.factors->solve(Mx, x, {}, {}));
    {
      const auto from = gpu::read(std::as_const(x).values());
      std::copy_n(from.begin(), vector.size(), vector.begin());
    }
    for (int pass = 0; pass < 2 && !known.empty(); ++pass) {
      multiply(vector);
      const auto product = gpu::read(std::as_const(Mx).values());
      std::vector<double> parts;
      for (const std::vector<double>& one : known)
        parts.push_back(std::inner_product(one.begin(), one.end(), product.begin(), 0.0));
      M.comm().sum(std::span<double>(parts));
      for (std::size_t k = 0; k < known.size(); ++k)
        for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= parts[k] * known[k][i];
    }
  }
}

}  // namespace trestle::solver
