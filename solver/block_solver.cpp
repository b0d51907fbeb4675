#include "solver/block_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/krylov/block_jacobi.hpp"
#include "solver/krylov/gmres.hpp"
#include "solver/krylov/simple_preconditioners.hpp"
#include "solver/matrix/matrix_operator.hpp"
#include "solver/matrix/vector_kernels.hpp"
#include "solver/multigrid/multigrid.hpp"

namespace trestle::solver {
namespace {

/// Share of the tolerance that the recurrence must reach, so that the true residual passes too.
constexpr double margin = 0.9;
/// Restarts from the true residual before it is said to stagnate.
constexpr int most_corrections = 5;

/// A preconditioner whose inside is made anew when the values of the matrix change.
class FieldInverse final : public ApproximateInverse<double> {
 public:
  FieldInverse(Preconditioner kind, FieldMatrix field, SetUpObserver observer)
      : kind_(kind), field_(std::move(field)), observer_(std::move(observer)) {
    make();
  }
  void update() {
    if (multigrid_ == nullptr)
      make();
    else if (!multigrid_->update(*field_.matrix, field_.traits.near_null))
      ++n_set_ups_;
  }
  std::int64_t n_set_ups() const { return n_set_ups_; }
  void apply(const Vector<double>& r, double norm, Vector<double>& z) override {
    inner_->apply(r, norm, z);
  }
  std::string name() const override { return inner_->name(); }
  std::vector<MultigridLevel> levels() const {
    return multigrid_ != nullptr ? multigrid_->hierarchy().levels() : std::vector<MultigridLevel>{};
  }

 private:
  void make() {
    ++n_set_ups_;
    const Comm& comm = field_.matrix->pattern().map->comm();
    if (kind_ == Preconditioner::automatic || kind_ == Preconditioner::amg) {
      auto multigrid = std::make_unique<Multigrid<double>>(*field_.matrix, field_.traits.near_null,
                                                           Updates::expected, observer_);
      multigrid_ = multigrid.get();
      inner_ = std::move(multigrid);
      return;
    }
    comm.agree([&] {
      if (kind_ == Preconditioner::none)
        inner_ = std::make_unique<Identity<double>>();
      else
        inner_ = std::make_unique<BlockJacobi<double>>(*field_.matrix);
    });
  }

  Preconditioner kind_;
  FieldMatrix field_;
  SetUpObserver observer_;
  std::unique_ptr<ApproximateInverse<double>> inner_;
  Multigrid<double>* multigrid_ = nullptr;
  std::int64_t n_set_ups_ = 0;
};

}  // namespace

struct BlockSolver::Implementation {
  SolverOptions options;
  std::vector<std::shared_ptr<FieldInverse>> inverses;
  std::unique_ptr<BlockOperator> a;
  std::unique_ptr<FieldSplit> split;
  std::unique_ptr<Gmres<double>> gmres;
  std::unique_ptr<Vector<double>> r, d;
  double setup_s = 0;

  Implementation(const SolverOptions& given, std::vector<FieldMatrix> fields,
                 const std::vector<FieldCoupling>& couplings)
      : options(given) {
    const Stopwatch watch;
    std::vector<std::shared_ptr<const Operator<double>>> diagonal;
    std::vector<std::shared_ptr<ApproximateInverse<double>>> of_fields;
    for (FieldMatrix& field : fields) {
      diagonal.push_back(std::make_shared<const MatrixOperator<double>>(field.matrix));
      inverses.push_back(std::make_shared<FieldInverse>(given.preconditioner, std::move(field),
                                                        given.set_up_observer));
      of_fields.push_back(inverses.back());
    }
    a = std::make_unique<BlockOperator>(std::move(diagonal));
    for (const FieldCoupling& coupling : couplings)
      a->couple(coupling.i, coupling.j, coupling.coupling);
    split = std::make_unique<FieldSplit>(*a, std::move(of_fields));
    gmres = std::make_unique<Gmres<double>>(*a, *split, options.restart);
    a->comm().agree([&] {
      r = std::make_unique<Vector<double>>(a->make_vector("krylov vectors"));
      d = std::make_unique<Vector<double>>(a->make_vector("krylov vectors"));
    });
    setup_s = watch.seconds();
  }

  /// r = b - A x; returns ||r||.
  double residual(const Vector<double>& b, Vector<double>& x) {
    a->apply(x, *r);
    subtract_from(a->device(), b.owned(), r->owned());
    return safe_norm(*r);
  }

  Reason iterate(double tolerance, double norm_b, const Vector<double>& b, Vector<double>& x,
                 SolveResult& result, const IterationObserver& observer) {
    double& relative = result.true_relative_residual;
    for (int k = 0; k < most_corrections; ++k) {
      relative = residual(b, x) / norm_b;
      if (!std::isfinite(relative)) return Reason::not_a_number;
      if (relative <= tolerance) return Reason::converged;
      if (result.iterations >= options.max_iterations) return Reason::max_iterations;
      gpu::scale(a->device(), 1 / (relative * norm_b), r->owned());
      const int before = result.iterations;
      const double start = relative;
      const KrylovOutcome outcome =
          gmres->solve(*r, *d, {margin * tolerance / relative, options.max_iterations - before},
                       [&](int number, double inner) {
                         result.history.push_back(start * inner);
                         if (observer) observer(before + number, start * inner);
                       });
      result.iterations += outcome.iterations;
      gpu::axpy(a->device(), start * norm_b, std::as_const(*d).owned(), x.owned());
      if (outcome.reason == Reason::not_a_number) return outcome.reason;
    }
    relative = residual(b, x) / norm_b;
    return relative <= tolerance ? Reason::converged : Reason::stagnated;
  }

  SolveResult solve(double tolerance, const Vector<double>& b, Vector<double>& x,
                    const IterationObserver& observer) {
    const Stopwatch watch;
    SolveResult result;
    const double norm_b = safe_norm(b);
    gpu::fill(a->device(), x.view(), 0.0);
    if (norm_b == 0)
      result.reason = Reason::zero_right_side;
    else if (!std::isfinite(norm_b))
      result.reason = Reason::not_a_number;
    else
      result.reason = iterate(tolerance, norm_b, b, x, result, observer);
    result.converged =
        result.reason == Reason::converged || result.reason == Reason::zero_right_side;
    result.method = gmres->name();
    result.preconditioner = split->name();
    result.precision = "double";
    result.levels = inverses.front()->levels();
    if (!result.converged)
      result.message =
          fmt::format("{} after {} iterations of gmres with {}, relative residual {:.3e}",
                      to_string(result.reason), result.iterations, split->name(),
                      result.true_relative_residual);
    a->device().synchronize();
    result.solve_s = watch.seconds();
    result.setup_s = setup_s;
    setup_s = 0;
    return result;
  }
};

BlockSolver::BlockSolver(const SolverOptions& options, std::vector<FieldMatrix> fields,
                         const std::vector<FieldCoupling>& couplings)
    : implementation_(std::make_unique<Implementation>(options, std::move(fields), couplings)) {}
BlockSolver::~BlockSolver() = default;

void BlockSolver::update(int field) {
  const Stopwatch watch;
  implementation_->inverses[static_cast<std::size_t>(field)]->update();
  implementation_->setup_s += watch.seconds();
}

std::int64_t BlockSolver::n_set_ups(int field) const {
  return implementation_->inverses[static_cast<std::size_t>(field)]->n_set_ups();
}

void BlockSolver::set_row_scales(std::vector<double> scales) {
  implementation_->a->set_row_scales(std::move(scales));
}

SolveResult BlockSolver::solve(double tolerance, const Vector<double>& b, Vector<double>& x,
                               const IterationObserver& observer) {
  return implementation_->solve(tolerance, b, x, observer);
}

}  // namespace trestle::solver
