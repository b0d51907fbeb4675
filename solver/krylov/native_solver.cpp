#include "solver/krylov/native_solver.hpp"

#include <functional>

#include "solver/krylov/bicgstab.hpp"
#include "solver/krylov/block_jacobi.hpp"
#include "solver/krylov/cg.hpp"
#include "solver/krylov/chebyshev.hpp"
#include "solver/krylov/gmres.hpp"
#include "solver/krylov/minres.hpp"
#include "solver/krylov/simple_preconditioners.hpp"
#include "solver/matrix/matrix_operator.hpp"
#include "solver/multigrid/multigrid.hpp"

namespace trestle::solver {
namespace {

constexpr int chebyshev_degree = 4;

/// Chebyshev needs `a`, the product in the preconditioner's own precision; the others the matrix
/// only.
template <class Real, class MatrixReal>
std::unique_ptr<ApproximateInverse<Real>> make_simple(Preconditioner kind,
                                                      const BlockMatrix<MatrixReal>& matrix) {
  std::unique_ptr<ApproximateInverse<Real>> result;
  matrix.pattern().map->comm().agree([&] {
    if (kind == Preconditioner::none)
      result = std::make_unique<Identity<Real>>();
    else
      result = std::make_unique<BlockJacobi<Real>>(matrix);
  });
  return result;
}

template <class Real>
std::unique_ptr<ApproximateInverse<Real>> make_chebyshev(const Operator<Real>& a,
                                                         const BlockMatrix<Real>& matrix) {
  std::unique_ptr<BlockJacobi<Real>> jacobi;
  a.comm().agree([&] { jacobi = std::make_unique<BlockJacobi<Real>>(matrix); });
  return std::make_unique<Chebyshev<Real>>(a, std::move(jacobi), chebyshev_degree);
}

/// The float preconditioner of a matrix in double, with what it acts on.
struct FloatSide {
  std::shared_ptr<const BlockMatrix<float>> matrix;
  std::unique_ptr<MatrixOperator<float>> product;
};

template <class Real>
class NativeSolver final : public InnerSolver {
 public:
  NativeSolver(std::shared_ptr<const BlockMatrix<Real>> matrix, const NativeOptions& options,
               const NearNullVectors& near_null)
      : product_(matrix) {
    m_ = make_preconditioner(*matrix, options, near_null);
    product_.comm().agree([&] {
      if constexpr (!std::is_same_v<Real, double>) {
        r_ = std::make_unique<Vector<Real>>(product_.make_vector("krylov vectors"));
        d_ = std::make_unique<Vector<Real>>(product_.make_vector("krylov vectors"));
      }
      krylov_ = make_krylov(options);
    });
  }

  KrylovOutcome solve(Vector<double>& r, Vector<double>& d, const KrylovTarget& target,
                      const IterationObserver& observer) override {
    if constexpr (std::is_same_v<Real, double>) {
      return krylov_->solve(r, d, target, observer);
    } else {
      const Vector<double>& from = r;
      const Vector<Real>& to = *d_;
      gpu::copy(r.device(), from.owned(), r_->owned());
      const KrylovOutcome outcome = krylov_->solve(*r_, *d_, target, observer);
      gpu::copy(r.device(), to.owned(), d.owned());
      return outcome;
    }
  }

  Update update(const NearNullVectors& near_null) override {
    if (!update_multigrid_) return Update::refused;
    return update_multigrid_(near_null) ? Update::kept : Update::anew;
  }
  bool keeps() const override { return static_cast<bool>(update_multigrid_); }

  std::string method() const override { return krylov_->name(); }
  std::string preconditioner() const override { return m_->name(); }
  int near_null_vectors() const override { return near_null_vectors_; }
  std::vector<MultigridLevel> levels() const override { return levels_; }
  std::string remark() const override { return remark_; }

 private:
  std::unique_ptr<KrylovMethod<Real>> make_krylov(const NativeOptions& options) {
    switch (options.method) {
      case Method::minres:
        return std::make_unique<Minres<Real>>(product_, *m_);
      case Method::gmres:
        return std::make_unique<Gmres<Real>>(product_, *m_, options.restart);
      case Method::bicgstab:
        return std::make_unique<Bicgstab<Real>>(product_, *m_);
      default:
        return std::make_unique<Cg<Real>>(product_, *m_, options.float_preconditioner);
    }
  }

  std::unique_ptr<ApproximateInverse<Real>> make_preconditioner(const BlockMatrix<Real>& matrix,
                                                                const NativeOptions& options,
                                                                const NearNullVectors& near_null) {
    const bool chebyshev = options.preconditioner == Preconditioner::chebyshev;
    if constexpr (std::is_same_v<Real, double>) {
      if (options.float_preconditioner && options.preconditioner != Preconditioner::none) {
        std::unique_ptr<ApproximateInverse<float>> inner;
        if (options.preconditioner == Preconditioner::amg) {
          inner = make_multigrid<float>(matrix, near_null, options);
        } else if (chebyshev) {
          product_.comm().agree(
              [&] { float_.matrix = std::make_shared<const BlockMatrix<float>>(matrix); });
          float_.product = std::make_unique<MatrixOperator<float>>(float_.matrix);
          inner = make_chebyshev<float>(*float_.product, *float_.matrix);
        } else {
          inner = make_simple<float>(options.preconditioner, matrix);
        }
        std::unique_ptr<ApproximateInverse<double>> result;
        product_.comm().agree(
            [&] { result = std::make_unique<FloatPreconditioner>(std::move(inner), product_); });
        return result;
      }
    }
    if (options.preconditioner == Preconditioner::amg)
      return make_multigrid<Real>(matrix, near_null, options);
    if (chebyshev) return make_chebyshev<Real>(product_, matrix);
    return make_simple<Real>(options.preconditioner, matrix);
  }

  template <class Inner>
  std::unique_ptr<ApproximateInverse<Inner>> make_multigrid(const BlockMatrix<Real>& matrix,
                                                            const NearNullVectors& near_null,
                                                            const NativeOptions& options) {
    auto multigrid = std::make_unique<Multigrid<Inner>>(
        matrix, near_null, options.updates ? Updates::expected : Updates::none,
        options.set_up_observer);
    near_null_vectors_ = static_cast<int>(near_null.size());
    describe(multigrid->hierarchy());
    update_multigrid_ = [this, of = multigrid.get()](const NearNullVectors& vectors) {
      const bool kept = of->update(product_.matrix(), vectors);
      describe(of->hierarchy());
      return kept;
    };
    return multigrid;
  }
  template <class Inner>
  void describe(const Hierarchy<Inner>& hierarchy) {
    remark_ = hierarchy.remark();
    levels_ = hierarchy.levels();
  }

  MatrixOperator<Real> product_;
  FloatSide float_;
  std::unique_ptr<ApproximateInverse<Real>> m_;
  std::unique_ptr<KrylovMethod<Real>> krylov_;
  std::unique_ptr<Vector<Real>> r_, d_;                           // of a float solver
  std::function<bool(const NearNullVectors&)> update_multigrid_;  // empty without multigrid
  int near_null_vectors_ = 0;
  std::vector<MultigridLevel> levels_;
  std::string remark_;
};

}  // namespace

template <class Real>
std::unique_ptr<InnerSolver> make_native_solver(std::shared_ptr<const BlockMatrix<Real>> matrix,
                                                const NativeOptions& options,
                                                const NearNullVectors& near_null) {
  return std::make_unique<NativeSolver<Real>>(std::move(matrix), options, near_null);
}

template std::unique_ptr<InnerSolver> make_native_solver(std::shared_ptr<const BlockMatrix<float>>,
                                                         const NativeOptions&,
                                                         const NearNullVectors&);
template std::unique_ptr<InnerSolver> make_native_solver(std::shared_ptr<const BlockMatrix<double>>,
                                                         const NativeOptions&,
                                                         const NearNullVectors&);

}  // namespace trestle::solver
